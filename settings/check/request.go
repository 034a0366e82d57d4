package check

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
)

// request checks where an http hook goes and what it takes along.
func (l *linter) request(h handler) {
	at := l.at(h, "url")
	u, err := url.Parse(h.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		l.report("bad-url", at, `write for example "https://hooks.example.com/event"`, "the url is no address of http or https")
	case u.User != nil:
		l.report("url-userinfo", at, "send it in a header, from a variable", "user name and password in an address are refused")
	default:
		l.allowed(h, u, at)
	}
	for _, header := range h.Headers {
		l.header(h, header)
	}
}

// allowed checks the address against the allow-lists of this file and of all
// sources together.
func (l *linter) allowed(h handler, u *url.URL, at settings.Place) {
	for _, limit := range l.urlLimits() {
		if !slices.ContainsFunc(limit.patterns, func(p string) bool { return covered(p, u) }) {
			l.report("url-not-allowed", at, "add it to the list, or take the hook out", "%s is not covered by allowedHttpHookUrls of %s, so nothing is sent", shown(u), limit.name)
			return
		}
	}
}

// shown is an address without what may be secret in it.
func shown(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

type urlLimit struct {
	name     string
	patterns []string
}

// urlLimits are the lists that an address of this file must all pass: its own,
// and the joined lists of the sources that are not the repository's.
func (l *linter) urlLimits() []urlLimit {
	var limits []urlLimit
	if own := l.file.Policy.AllowedHTTPHookURLs; own != nil {
		limits = append(limits, urlLimit{l.src.Name, own})
	}
	var joined urlLimit
	for _, s := range l.cfg.Sources {
		if list := s.File.Policy.AllowedHTTPHookURLs; list != nil && wide(s.Scope) && s != l.src {
			joined = urlLimit{s.Name, append(joined.patterns, list...)}
		}
	}
	if joined.name != "" {
		if wide(l.src.Scope) {
			joined.patterns = append(joined.patterns, l.file.Policy.AllowedHTTPHookURLs...)
			limits = nil
		}
		limits = append(limits, joined)
	}
	return limits
}

// wide: lists of the scope add to each other; those of a repository only narrow.
func wide(s precedence.Scope) bool { return s != precedence.Project && s != precedence.Local }

// covered compares an address with a pattern in which "*" is any text. A "*" in
// the host never reaches into the path, so that the host stays the one meant.
func covered(pattern string, u *url.URL) bool {
	if pattern == "*" {
		return true
	}
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok || !star(strings.ToLower(scheme), strings.ToLower(u.Scheme)) {
		return false
	}
	host, path, hasPath := strings.Cut(rest, "/")
	if !star(strings.ToLower(host), hostOf(u)) {
		return false
	}
	target := strings.TrimPrefix(u.RequestURI(), "/")
	if !hasPath {
		return target == "" || strings.HasSuffix(host, "*")
	}
	return star(path, target)
}

// hostOf is host and port in lower case, without the dot that may end a host.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if port := u.Port(); port != "" {
		return strings.TrimSuffix(strings.TrimSuffix(host, ":"+port), ".") + ":" + port
	}
	return strings.TrimSuffix(host, ".")
}

// star compares a text with a pattern in which "*" is any text.
func star(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

var (
	references   = regexp.MustCompile(`\$\$|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}`)
	secretHeader = regexp.MustCompile(`(?i)authori[sz]ation|api-?key|token|secret|passw|cookie|credential`)
	secretValue  = regexp.MustCompile(`^(sk-|sk_|gh[pousr]_|github_pat_|xox[abprs]-|AKIA|AIza|eyJ|glpat-)[\w.-]{12,}`)
)

// header checks one header. Its value never stands in a message.
func (l *linter) header(h handler, header settings.Var) {
	at := l.at(h, "headers", header.Name)
	variables := references.FindAllStringSubmatch(header.Value, -1)
	named := false
	for _, v := range variables {
		name := v[1] + v[2]
		if name == "" {
			continue
		}
		named = true
		if why := l.unsent(h, name); why != "" {
			l.report("header-variable", at, fmt.Sprintf("add %q to allowedEnvVars", name), "$%s is %s, so it is sent as nothing", name, why)
		}
	}
	value := header.Value[strings.LastIndexByte(strings.TrimSpace(header.Value), ' ')+1:]
	if !named && len(value) >= 8 && (secretHeader.MatchString(header.Name) || secretValue.MatchString(value)) {
		l.report("secret-in-header", at, fmt.Sprintf(`write "%s": "Bearer $NAME" and "allowedEnvVars": ["NAME"]`, header.Name), "the header %s holds a secret in plain text", header.Name)
	}
}

// unsent says why a variable is not filled in, "" if it is.
func (l *linter) unsent(h handler, name string) string {
	if !slices.Contains(h.AllowedEnvVars, name) {
		return "not in allowedEnvVars"
	}
	if own := l.file.Policy.HTTPHookAllowedEnv; own != nil && !slices.Contains(own, name) {
		return "not in httpHookAllowedEnvVars"
	}
	return ""
}
