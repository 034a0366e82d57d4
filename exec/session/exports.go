package session

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

const exportsFile = "exports.json"

// maxExports bounds all exports of a session, in bytes.
const maxExports = 4 << 20

// Exports lie in layers, each seen through the ones above it. The events that
// set a stage for the later ones have a layer for each of their hooks, at the
// height of the event, which a new run of that hook replaces: so nothing grows
// when a session is resumed. All other events share the top layer and add to
// it.
type layer struct {
	event, hook string
	changes     []envfile.Change
}

// top is the height of the layer that all events without a stage share.
const top = 1 << 30

// height is how high an event's exports lie: by its stage in the table of
// events, and above all stages without one.
func height(name string) int {
	if spec, ok := event.Lookup(name); ok && spec.ExportStage > 0 {
		return spec.ExportStage
	}
	return top
}

// place returns the index at which the layer of event and hook stands in
// layers, or is to be put, and whether it is there.
func place(layers []layer, name, hook string) (int, bool) {
	h := height(name)
	for i, l := range layers {
		if height(l.event) > h {
			return i, false
		}
		if height(l.event) == h && (h == top || l.hook == hook) {
			return i, true
		}
	}
	return len(layers), false
}

func merged(layers []layer) []envfile.Change {
	lists := make([][]envfile.Change, len(layers))
	for i, l := range layers {
		lists[i] = l.changes
	}
	return envfile.Merge(lists...)
}

// Exports returns all exports of the session, merged. The error is that of ctx
// or of the file system.
func (s *Session) Exports(ctx context.Context) ([]envfile.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	layers, err := s.layers()
	return merged(layers), err
}

// Base returns the exports that hook builds on when it runs for the event name: all
// but those that its new ones replace or lie above them. Its environment and
// the expansions in its environment file are to be based on them, or values
// like "$PATH:/x" would grow with every run. An empty hook stands for all
// hooks of the event.
func (s *Session) Base(ctx context.Context, name, hook string) ([]envfile.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	layers, err := s.layers()
	return base(layers, name, hook), err
}

func base(layers []layer, name, hook string) []envfile.Change {
	h := height(name)
	if h == top {
		return merged(layers)
	}
	if hook == "" {
		at := slices.IndexFunc(layers, func(l layer) bool { return height(l.event) >= h })
		if at < 0 {
			at = len(layers)
		}
		return merged(layers[:at])
	}
	at, _ := place(layers, name, hook)
	return merged(layers[:at])
}

// An Export is what one hook exports on one firing of an event.
type Export struct {
	Hook string // its id; empty for a caller that records the event as a whole
	// Evaluate returns the exports; it is given those that they build on, as
	// Base returns them.
	Evaluate func(base []envfile.Change) ([]envfile.Change, error)
}

// Record stores changes as the exports of the event name as a whole. It must also be
// called without any, for an event that no longer exports something. Callers
// that record hook by hook use Update.
func (s *Session) Record(ctx context.Context, name string, changes []envfile.Change) error {
	return s.Update(ctx, name, Export{Evaluate: func([]envfile.Change) ([]envfile.Change, error) { return changes, nil }})
}

// Update stores what the hooks of one firing of the event name export, evaluated
// one after the other, anew where another process has changed meanwhile what they
// build on. For an event with an export stage they replace what the same hook
// exported before on that event, also with nothing; for other events they are
// added. A value that is new hides older ones of its name in the layers above.
//
// An Export whose Evaluate fails, which its caller knows, leaves the state of its
// hook as it was and does not touch the others, as one that does not fit: then the
// error is ErrFull. With ErrLocked, that of ctx or of the file system nothing is
// stored.
func (s *Session) Update(ctx context.Context, name string, exports ...Export) error {
	prepared := make([]*preparedExport, len(exports))
	for i, x := range exports {
		prepared[i] = &preparedExport{Export: x}
	}
	for try := 1; ; try++ {
		// Evaluating may start a shell. Nobody is to wait for that, so it is done
		// before the lock is taken, for the exports that are there now.
		quiet := &Session{dir: s.dir} // what it tolerates is told under the lock
		if layers, err := quiet.layers(); err == nil {
			putAll(layers, name, prepared)
		}
		err := s.update(ctx, name, prepared, try < updateTries)
		if !errors.Is(err, errStale) {
			return err
		}
	}
}

// updateTries is how often exports are evaluated anew because others have
// changed what they build on; then it is done under the lock.
const updateTries = 4

// errStale: what an export builds on has changed since it was evaluated.
var errStale = errors.New("exports have changed meanwhile")

// update stores exports that were evaluated. The error is errStale, with nothing
// stored, where one was not for what is there now and mayFail is set.
func (s *Session) update(ctx context.Context, name string, exports []*preparedExport, mayFail bool) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := s.layers()
	if err != nil {
		return err
	}
	for _, x := range exports {
		x.frozen = mayFail
	}
	layers, failed := putAll(before, name, exports)
	for _, x := range exports {
		x.frozen = false
	}
	if err := errors.Join(failed...); errors.Is(err, errStale) {
		return errStale
	}
	failed = slices.DeleteFunc(failed, func(err error) bool { return !errors.Is(err, ErrFull) })
	if err := ctx.Err(); err != nil {
		return err
	}
	if !slices.EqualFunc(before, layers, layer.equal) {
		failed = append(failed, s.save(exportsFile, encode(layers)))
	}
	return errors.Join(failed...)
}

// putAll returns layers with what all exports export, and what failed of them.
func putAll(layers []layer, name string, exports []*preparedExport) (after []layer, failed []error) {
	for _, x := range exports {
		next, err := Export{Hook: x.Hook, Evaluate: x.evaluate}.put(layers, name)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		layers = next
	}
	return layers, failed
}

// A preparedExport remembers what it was evaluated to, and on what base.
type preparedExport struct {
	Export
	done    bool
	base    []envfile.Change
	changes []envfile.Change
	err     error
	frozen  bool // it must not be evaluated now
}

func (x *preparedExport) evaluate(base []envfile.Change) ([]envfile.Change, error) {
	if x.done && slices.Equal(x.base, base) {
		return slices.Clone(x.changes), x.err
	}
	if x.frozen {
		return nil, errStale
	}
	changes, err := x.Evaluate(base)
	x.done, x.base, x.changes, x.err = true, slices.Clone(base), slices.Clone(changes), err
	return changes, err
}

func (l layer) equal(m layer) bool {
	return l.event == m.event && l.hook == m.hook && slices.Equal(l.changes, m.changes)
}

// put returns layers with what x exports; layers stays as it is.
func (x Export) put(layers []layer, name string) ([]layer, error) {
	changes, err := x.Evaluate(base(layers, name, x.Hook))
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(envfile.Merge(changes), func(c envfile.Change) bool { return !envfile.ValidName(c.Name) })
	layers = slices.Clone(layers)
	at, there := place(layers, name, x.Hook)
	if !there {
		layers = slices.Insert(layers, at, layer{event: name, hook: x.Hook})
	}
	l := &layers[at]
	old := l.changes
	if height(name) == top {
		l.event, l.hook = "", "" // shared by all of them
		changes = envfile.Merge(old, changes)
	}
	l.changes = changes
	for _, c := range changes {
		if !slices.Contains(old, c) {
			hide(layers[at+1:], c.Name)
		}
	}
	layers = slices.DeleteFunc(layers, func(l layer) bool { return len(l.changes) == 0 })
	if size(layers) > maxExports {
		return nil, ErrFull
	}
	return layers, nil
}

// hide removes name from layers.
func hide(layers []layer, name string) {
	for i := range layers {
		var kept []envfile.Change
		for _, c := range layers[i].changes {
			if c.Name != name {
				kept = append(kept, c)
			}
		}
		layers[i].changes = kept
	}
}

func size(layers []layer) int {
	total := 0
	for _, l := range layers {
		for _, c := range l.changes {
			total += len(c.Name) + len(c.Value)
		}
	}
	return total
}

// The file: values that are not UTF-8 are kept as base64.
type (
	exportsJSON struct {
		Layers []layerJSON `json:"layers"`
	}
	layerJSON struct {
		Event   string       `json:"event"`
		Hook    string       `json:"hook"`
		Changes []changeJSON `json:"changes"`
	}
	changeJSON struct {
		Name   string `json:"name"`
		Value  string `json:"value,omitempty"`
		Base64 string `json:"base64,omitempty"`
		Unset  bool   `json:"unset,omitempty"`
	}
)

func encode(layers []layer) exportsJSON {
	file := exportsJSON{Layers: make([]layerJSON, len(layers))}
	for i, l := range layers {
		changes := make([]changeJSON, len(l.changes))
		for j, c := range l.changes {
			changes[j] = changeJSON{Name: c.Name, Value: c.Value, Unset: c.Unset}
			if !utf8.ValidString(c.Value) {
				changes[j] = changeJSON{Name: c.Name, Base64: base64.StdEncoding.EncodeToString([]byte(c.Value))}
			}
		}
		file.Layers[i] = layerJSON{Event: l.event, Hook: l.hook, Changes: changes}
	}
	return file
}

// layers reads the exports; what does not fit is left out with a warning.
func (s *Session) layers() ([]layer, error) {
	file, err := s.load(exportsFile)
	if err != nil {
		return nil, err
	}
	var layers []layer
	for _, v := range file.Get("layers").Elements() {
		l := layer{event: v.Get("event").Text(), hook: v.Get("hook").Text()}
		for _, item := range v.Get("changes").Elements() {
			c, ok := decode(item)
			if !ok {
				s.warn("an export of the session cannot be read and is left out")
				continue
			}
			l.changes = append(l.changes, c)
		}
		layers = append(layers, l)
	}
	slices.SortStableFunc(layers, func(a, b layer) int { return height(a.event) - height(b.event) })
	return layers, nil
}

func decode(item jsontext.Value) (envfile.Change, bool) {
	value := item.Get("value")
	c := envfile.Change{Name: item.Get("name").Text(), Value: value.Text(), Unset: item.Get("unset").Bool()}
	if coded := item.Get("base64"); coded.Exists() {
		value, err := base64.StdEncoding.DecodeString(coded.Text())
		if err != nil {
			return c, false
		}
		c.Value = string(value)
	}
	return c, envfile.ValidName(c.Name) && (!value.Exists() || value.Kind() == jsontext.String)
}
