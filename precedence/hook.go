package precedence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Hook is one handler in its place.
type Hook struct {
	Source  *Source
	Group   *settings.Group
	Handler *settings.Handler
	// Timeout is the handler's own, or the default of its type on this event;
	// of identical hooks the longest.
	Timeout time.Duration
	// AlsoIn are the identical hooks that this one runs for.
	AlsoIn []*Hook

	roster *roster
	id     string // set by the roster
}

// A roster is every hook of one event, in configuration order. Identities are
// worked out for all at once, when somebody asks for the first.
type roster struct {
	hooks []Hook
	once  sync.Once
}

// ID is the first 12 hex digits of SHA-256 over scope, event, matcher and what
// the handler does, so that moving or reformatting it changes nothing. Twins in
// one scope count on.
func (h *Hook) ID() string {
	h.roster.once.Do(h.roster.identify)
	return h.id
}

func (r *roster) identify() {
	twins := map[string]int{}
	for i := range r.hooks {
		h := &r.hooks[i]
		identity := frame(string(h.Source.Scope), h.Group.Event.Name, h.Group.Matcher.Text, h.key())
		if h.Source.Plugin != nil {
			identity += frame(h.Source.Plugin.ID)
		}
		twins[identity]++
		if n := twins[identity]; n > 1 {
			identity += frame(strconv.Itoa(n))
		}
		sum := sha256.Sum256([]byte(identity))
		h.id = hex.EncodeToString(sum[:6])
	}
}

// Label is the name of the hook for people: its name, else its place.
func (h *Hook) Label() string {
	if h.Handler.Name != "" {
		return h.Handler.Name
	}
	return h.Handler.Place.Path
}

// Where is the hook's file and line.
func (h *Hook) Where() string {
	return fmt.Sprintf("%s:%d", h.Source.Name, h.Handler.Place.Line)
}

// hooks lists every handler of an event in configuration order.
func (c *Config) hooks(spec *event.Spec) []Hook {
	r := &roster{hooks: make([]Hook, 0, c.count(spec))}
	for _, s := range c.Sources {
		for gi := range s.File.Groups {
			g := &s.File.Groups[gi]
			if g.Event != spec {
				continue
			}
			for hi := range g.Handlers {
				h := &g.Handlers[hi]
				hook := Hook{Source: s, Group: g, Handler: h, Timeout: h.Timeout, roster: r}
				if hook.Timeout == 0 {
					hook.Timeout = spec.DefaultTimeout(h.Type)
				}
				r.hooks = append(r.hooks, hook)
			}
		}
	}
	return r.hooks
}

func (c *Config) count(spec *event.Spec) int {
	n := 0
	for _, s := range c.Sources {
		for gi := range s.File.Groups {
			if g := &s.File.Groups[gi]; g.Event == spec {
				n += len(g.Handlers)
			}
		}
	}
	return n
}

// key is equal for two handlers that do the same.
func (h *Hook) key() string { return dedupeKey(h.Handler) }

// dedupeKey is equal for two handlers that do the same: everything that decides
// what runs and what its answer does, but not matcher, timeout, name and
// statusMessage.
func dedupeKey(h *settings.Handler) string {
	parts := []string{h.TypeName, h.IfText, bits(h.Once, h.FailClosed, h.Observe)}
	switch h.Type {
	case event.Command:
		parts = append(parts, h.Command, frame(h.Args...), h.Shell, frameVars(h.Env), h.EnvFile, h.Cwd,
			bits(h.Exec, h.Pty, h.Async, h.AsyncRewake))
	case event.HTTP:
		parts = append(parts, h.URL, frameVars(h.Headers), frame(h.AllowedEnvVars...))
	case event.MCPTool:
		parts = append(parts, h.Server, h.Tool, h.Input)
	default:
		parts = append(parts, h.Prompt, h.Model, bits(h.ContinueOnBlock))
	}
	return frame(parts...)
}

// frame joins parts so that no two lists give the same text.
func frame(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

func frameVars(vars []settings.Var) string {
	parts := make([]string, 0, 2*len(vars))
	for _, v := range vars {
		parts = append(parts, v.Name, v.Value)
	}
	return frame(parts...)
}

func bits(flags ...bool) string {
	text := make([]byte, len(flags))
	for i, f := range flags {
		text[i] = '0'
		if f {
			text[i] = '1'
		}
	}
	return string(text)
}
