package event

// Rows of the place a session works in: settings, directories, worktrees, and
// the size of its context.

var configChange = Spec{
	Name:    "ConfigChange",
	Fires:   "when a settings or skill file changes during the session",
	Subject: SubjectRule{Field: "source", Values: []string{"user_settings", "project_settings", "local_settings", "policy_settings", "skills"}},
	Fields: []Field{
		{Name: "source", Type: "string", Values: []string{"user_settings", "project_settings", "local_settings", "policy_settings", "skills"}, Doc: "whose"},
		{Name: "file_path", Type: "string", Optional: true, Doc: "the file"},
	},
	Types: direct,
	Form:  FormBlock, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks,
	Unblockable: []string{"policy_settings"},
	Continue:    ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input:  common + `"ConfigChange","source":"project_settings","file_path":"/srv/app/.theus/settings.json"}`,
		Answer: `{"decision":"block","reason":"settings change by review only"}`,
		Does:   "keeps the change from this session; the reason is not shown",
	},
}

var cwdChanged = Spec{
	Name:  "CwdChanged",
	Fires: "when the working directory has changed",
	Fields: []Field{
		{Name: "old_cwd", Type: "string", Doc: "the directory so far"},
		{Name: "new_cwd", Type: "string", Doc: "the directory from now on"},
	},
	Types: direct, Exit2: EffectNotice, OnFailure: EffectNotice, Continue: ContinueDiscarded,
	Output:      []OutputField{watchPathsField},
	ExportStage: 3,
	Example: Example{
		Input:  common + `"CwdChanged","old_cwd":"/srv","new_cwd":"/srv/app"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["/srv/app/.envrc"]}}`,
		Does:   "has FileChanged watch the file",
	},
}

var directoryAdded = Spec{
	Name:    "DirectoryAdded",
	Fires:   "when a working directory has been added",
	Subject: SubjectRule{Field: "source", Values: []string{"slash_command", "register_repo_root"}},
	Fields: []Field{
		{Name: "directory", Type: "string", Doc: "the directory, absolute"},
		{Name: "source", Type: "string", Values: []string{"slash_command", "register_repo_root"}, Doc: "who added it"},
	},
	Types: direct, Continue: ContinueDiscarded, Message: MessageToModel,
	Example: Example{
		Input:  common + `"DirectoryAdded","directory":"/srv/lib","source":"slash_command"}`,
		Answer: `{"systemMessage":"/srv/lib is generated; do not edit it"}`,
		Does:   "tells the model on its next turn",
	},
}

var fileChanged = Spec{
	Name:    "FileChanged",
	Fires:   "when a watched file was added, changed or deleted",
	Subject: SubjectRule{Field: "file_path", Base: true, Narrow: true},
	Fields: []Field{
		{Name: "file_path", Type: "string", Doc: "the file, absolute"},
		{Name: "event", Type: "string", Values: []string{"change", "add", "unlink"}, Doc: "what happened to it"},
	},
	Types: direct, Exit2: EffectNotice, OnFailure: EffectNotice, Continue: ContinueDiscarded,
	Output:      []OutputField{watchPathsField},
	ExportStage: 4,
	Example: Example{
		Input:  common + `"FileChanged","file_path":"/srv/app/.envrc","event":"change"}`,
		Answer: `{"systemMessage":".envrc was read again"}`,
		Does:   "tells the user",
	},
}

var worktreeCreate = Spec{
	Name:  "WorktreeCreate",
	Fires: "when a worktree is wanted; the hook makes it, in place of git",
	Fields: []Field{
		{Name: "name", Type: "string", Doc: "a short name for it"},
	},
	Types: direct,
	Form:  FormPath, Exit2: EffectFails, OnFailure: EffectFails,
	Continue: ContinueDiscarded, Message: MessageDiscarded,
	Output: []OutputField{
		{Name: "worktreePath", Type: "string", Doc: "the directory; a command prints the bare path instead"},
	},
	Example: Example{
		Input:  common + `"WorktreeCreate","name":"fix-login"}`,
		Answer: `/srv/trees/fix-login`,
		Does:   "names the directory it has made; no path and every nonzero exit code mean that it failed",
	},
}

var worktreeRemove = Spec{
	Name:  "WorktreeRemove",
	Fires: "when a worktree is to be removed",
	Fields: []Field{
		{Name: "worktree_path", Type: "string", Doc: "the directory, absolute"},
	},
	Types: direct, Exit2: EffectFails, OnFailure: EffectFails,
	Continue: ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input: common + `"WorktreeRemove","worktree_path":"/srv/trees/fix-login"}`,
		Does:  "nothing is read from the hook; a nonzero exit code means that it failed",
	},
}

var preCompact = Spec{
	Name:    "PreCompact",
	Fires:   "before the conversation is compacted",
	Subject: SubjectRule{Field: "trigger", Values: []string{"manual", "auto"}},
	Fields: []Field{
		{Name: "trigger", Type: "string", Values: []string{"manual", "auto"}, Doc: "who asked"},
		{Name: "custom_instructions", Type: "any", Doc: "what the user asked to keep, or null"},
	},
	Types: direct,
	Form:  FormBlock, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks,
	Continue: ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input:  common + `"PreCompact","trigger":"manual","custom_instructions":null}`,
		Answer: `{"decision":"block","reason":"commit first"}`,
		Does:   "keeps the conversation as it is",
	},
}

var postCompact = Spec{
	Name:    "PostCompact",
	Fires:   "after the conversation was compacted",
	Subject: SubjectRule{Field: "trigger", Values: []string{"manual", "auto"}},
	Fields: []Field{
		{Name: "trigger", Type: "string", Values: []string{"manual", "auto"}, Doc: "who asked"},
		{Name: "compact_summary", Type: "string", Doc: "what is left of it"},
	},
	Types: direct, Exit2: EffectNotice, OnFailure: EffectNotice,
	Continue: ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input: common + `"PostCompact","trigger":"auto","compact_summary":"we fixed the login"}`,
		Does:  "nothing is read from the hook; it can only take note",
	},
}
