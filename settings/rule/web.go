package rule

import (
	"fmt"
	"strings"
)

// domainSpec is `domain:HOST` of WebFetch: a host name in which a leading "*."
// stands for one or more labels, and any other "*" for a run inside a label.
type domainSpec struct {
	any    bool // "*"
	sub    bool // "*." in front
	labels []string
	port   string // "" for every port
}

// compileDomain reads a host pattern, or says what is wrong with it.
func compileDomain(host string) (matcher, string) {
	host = strings.ToLower(strings.TrimSpace(host))
	d := domainSpec{}
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.Contains(host[:at], ":") {
		host, d.port = host[:at], host[at+1:]
	}
	host = strings.TrimSuffix(host, ".")
	switch {
	case host == "" || strings.ContainsAny(host, "/@ ?#"):
		return nil, fmt.Sprintf("%s is no host name", quote(host))
	case host == "*":
		d.any = true
	default:
		host, d.sub = strings.CutPrefix(host, "*.")
		d.labels = strings.Split(host, ".")
	}
	return d, ""
}

func (d domainSpec) match(c *Call, _ string) finding {
	a := c.url()
	if d.any && d.port == "" && a.given {
		return finding{fires: true, why: whyMatch, value: a.text}
	}
	if a.problem != "" {
		return finding{fires: true, why: whyUnreadable, note: a.problem}
	}
	if d.fits(a) {
		return finding{fires: true, why: whyMatch, value: a.host}
	}
	return finding{why: whyNo, value: a.host}
}

func (d domainSpec) fits(a *address) bool {
	if d.port != "" && !globMatch(d.port, a.port) {
		return false
	}
	if d.any {
		return true
	}
	labels := strings.Split(a.host, ".")
	extra := len(labels) - len(d.labels)
	if extra != 0 && (!d.sub || extra < 0) || extra == 0 && d.sub {
		return false
	}
	for i, label := range d.labels {
		if !globMatch(label, labels[extra+i]) {
			return false
		}
	}
	return true
}

// address is the host that a call fetches from.
type address struct {
	given      bool
	text       string
	host, port string
	problem    string // why the host is not known, or ""
}

// readURL reads the URL of a call. What different readers may read
// differently is not read at all.
func (c *Call) readURL() *address {
	text, ok := c.field("url")
	a := &address{given: ok, text: text}
	if !ok {
		a.problem = "the call has no url"
		return a
	}
	scheme, rest, ok := strings.Cut(text, "://")
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	a.host, a.port = splitPort(authority)
	a.host = strings.TrimSuffix(strings.ToLower(a.host), ".")
	if a.port == "" {
		a.port = defaultPort(scheme)
	}
	switch {
	case !ok || !plain(scheme, "+-."):
		a.problem = "the url has no scheme"
	case strings.Contains(authority, "@"):
		a.problem = "the url names a user, which hides its host"
	case !plain(a.host, ".-_") && !(strings.HasPrefix(a.host, "[") && strings.HasSuffix(a.host, "]")):
		a.problem = "the host of the url cannot be read"
	}
	return a
}

// splitPort splits HOST:PORT; the host may stand in brackets.
func splitPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.HasSuffix(authority, "]") {
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

func defaultPort(scheme string) string {
	switch strings.ToLower(scheme) {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// plain reports whether s is not empty and holds nothing but ASCII letters,
// digits and the bytes of more.
func plain(s, more string) bool {
	for i := range len(s) {
		if !letter(s[i]) && (s[i] < '0' || s[i] > '9') && strings.IndexByte(more, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
