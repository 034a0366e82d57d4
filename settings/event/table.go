package event

// table is every event, in the order in which a session meets them.
var table = []*Spec{
	{Name: "PreToolUse", Fires: "before a tool call runs", Subject: SubjectRule{Field: "tool_name"}, Types: AllTypes, If: true,
		Exit2: EffectBlocks, Block: EffectBlocks, FailClosed: true},
}
