package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/theus-hooks/theus-hooks/settings"
)

// Kind says what an Item is.
type Kind string

// The kinds.
const (
	Hook    Kind = "hook"
	Setting Kind = "setting"
	File    Kind = "file"
)

// An Item is one thing that is trusted or not.
type Item struct {
	Kind Kind
	// Group holds items together of which one can become another: scope, event
	// and matcher of a hook, the key of a setting, the path of a file.
	Group string
	// Name is what people call it.
	Name string
	// Sum is the SHA-256 of its content, in hex.
	Sum string
	// Text is the content for people, line by line; "" when it is not kept.
	Text string
	// Source and Line say where it stands now, "" for files.
	Source string
	Line   int
}

// key orders items, and is all of one that the digest covers.
func (it Item) key() string { return frame(string(it.Kind), it.Group, it.Sum) }

// A Workspace is a place that settings come from.
type Workspace struct {
	// ID names the workspace for the store: the same for all worktrees of a
	// repository.
	ID string
	// Root is the project's root, Main its counterpart in the main checkout (else
	// Root), Start the directory hooks run in, Home the user's home or "". All
	// absolute.
	Root, Main, Start, Home string
}

// A Source is a settings file that comes with the workspace.
type Source struct {
	Scope string
	File  *settings.File
}

// A Snapshot is everything that is trusted together, in a fixed order.
type Snapshot struct {
	Items []Item
	// Refused says why the workspace cannot be trusted, "" when it can.
	Refused string
}

// Empty reports whether there is nothing that needs trust.
func (s *Snapshot) Empty() bool { return len(s.Items) == 0 && s.Refused == "" }

// Digest is a hash of everything in the snapshot, in hex.
func (s *Snapshot) Digest() string {
	h := sha256.New()
	for _, it := range s.Items {
		h.Write([]byte(it.key()))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Collect takes the snapshot of a workspace's settings as they were read, and
// reads the files that they name.
func Collect(ws Workspace, sources []Source) *Snapshot {
	snap := &Snapshot{}
	files := newFinder(ws)
	for _, s := range sources {
		snap.settings(s)
		files.source(s)
	}
	items, refused := files.read()
	snap.Items, snap.Refused = append(snap.Items, items...), refused
	slices.SortStableFunc(snap.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Sum, b.Sum))
	})
	snap.Items = slices.CompactFunc(snap.Items, func(a, b Item) bool { return a.key() == b.key() })
	return snap
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// frame joins parts so that no two lists give the same text.
func frame(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p) + 8
	}
	b := make([]byte, 0, n)
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(b, ':')
		b = append(b, p...)
	}
	return string(b)
}

// lines collects "field: value" lines.
type lines struct{ strings.Builder }

func (l *lines) add(field, value string) {
	l.WriteString(field)
	l.WriteString(": ")
	l.WriteString(value)
	l.WriteByte('\n')
}
