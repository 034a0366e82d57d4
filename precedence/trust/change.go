package trust

import "fmt"

// A Change is a difference between what was trusted and what stands there now.
type Change struct {
	// Before and After are the item then and now; nil where there is none. One
	// of them is set, or both.
	Before, After *Item
}

// Item is the one that names the change: what stands there now, if anything.
func (c Change) Item() *Item {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// Verb says what happened: "added", "removed" or "changed".
func (c Change) Verb() string {
	switch {
	case c.Before == nil:
		return "added"
	case c.After == nil:
		return "removed"
	}
	return "changed"
}

// String is the change in one line: "hook PreToolUse (Bash) changed".
func (c Change) String() string {
	it := c.Item()
	return fmt.Sprintf("%s %s %s", it.Kind, it.Name, c.Verb())
}

// Changes are the differences between a snapshot and the grant that is nearest
// to it, in the order of the snapshot; what was removed comes last. Without any
// grant there is nothing to compare with.
func (r *Record) Changes(snap *Snapshot) []Change {
	if r == nil || len(r.Grants) == 0 {
		return nil
	}
	nearest := compare(r.Grants[len(r.Grants)-1].Items, snap.Items)
	for i := len(r.Grants) - 2; i >= 0; i-- {
		if changes := compare(r.Grants[i].Items, snap.Items); len(changes) < len(nearest) {
			nearest = changes
		}
	}
	return nearest
}

// compare pairs what went with what came in the same group.
func compare(before, after []Item) []Change {
	had := map[string]bool{}
	for i := range before {
		had[before[i].key()] = true
	}
	has := map[string]bool{}
	for i := range after {
		has[after[i].key()] = true
	}
	gone := map[string][]*Item{}
	var groups []string
	for i := range before {
		it := &before[i]
		if has[it.key()] {
			continue
		}
		g := frame(string(it.Kind), it.Group)
		if gone[g] == nil {
			groups = append(groups, g)
		}
		gone[g] = append(gone[g], it)
	}
	var changes []Change
	for i := range after {
		it := &after[i]
		if had[it.key()] {
			continue
		}
		c := Change{After: it}
		if g := frame(string(it.Kind), it.Group); len(gone[g]) > 0 {
			c.Before, gone[g] = gone[g][0], gone[g][1:]
		}
		changes = append(changes, c)
	}
	for _, g := range groups {
		for _, it := range gone[g] {
			changes = append(changes, Change{Before: it})
		}
	}
	return changes
}
