package check

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings"
)

// Formats lists the names that Format takes.
func Formats() []string { return []string{"text", "json", "sarif", "github"} }

// Format writes problems for a person (text), for programs (json), as SARIF
// 2.1.0 (sarif) or as annotations of GitHub Actions (github). The text format
// holds what settings say as they say it; a terminal is protected by the caller.
func Format(problems []settings.Problem, format string) ([]byte, error) {
	switch format {
	case "text":
		return textReport(problems), nil
	case "json":
		return jsonReport(problems)
	case "sarif":
		return sarifReport(problems)
	case "github":
		return githubReport(problems), nil
	}
	return nil, fmt.Errorf("unknown format %q; use %s", format, strings.Join(Formats(), ", "))
}

// Count is how many of the problems are errors, and how many are not.
func Count(problems []settings.Problem) (failures, warnings int) {
	for _, p := range problems {
		if p.Severity == settings.Error {
			failures++
		}
	}
	return failures, len(problems) - failures
}

func textReport(problems []settings.Problem) []byte {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "%s: %s: %s\n", where(p), p.Severity, p.Code)
		if p.Path != "" {
			fmt.Fprintf(&b, "  %s: %s\n", p.Path, oneLine(p.Message))
		} else {
			fmt.Fprintf(&b, "  %s\n", oneLine(p.Message))
		}
		if p.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", oneLine(p.Hint))
		}
	}
	failures, warnings := Count(problems)
	switch {
	case len(problems) == 0:
		b.WriteString("no problems\n")
	default:
		fmt.Fprintf(&b, "%s, %s\n", counted(failures, "error"), counted(warnings, "warning"))
	}
	return []byte(b.String())
}

func where(p settings.Problem) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

func jsonReport(problems []settings.Problem) ([]byte, error) {
	type problem struct {
		Severity settings.Severity `json:"severity"`
		Code     string            `json:"code"`
		Message  string            `json:"message"`
		Hint     string            `json:"hint"`
		File     string            `json:"file"`
		Line     int               `json:"line"`
		Column   int               `json:"column"`
		Path     string            `json:"path"`
	}
	list := make([]problem, len(problems))
	for i, p := range problems {
		list[i] = problem{p.Severity, p.Code, p.Message, p.Hint, p.File, p.Line, p.Column, p.Path}
	}
	text, err := jsontext.Marshal(map[string]any{"problems": list})
	return append(text, '\n'), err
}

// githubReport is one workflow command a problem.
func githubReport(problems []settings.Problem) []byte {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "::%s file=%s", p.Severity, property(p.File))
		if p.Line > 0 {
			fmt.Fprintf(&b, ",line=%d,col=%d", p.Line, p.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property(p.Code), message(said(p)))
	}
	return []byte(b.String())
}

// said is a problem in one sentence, without its place.
func said(p settings.Problem) string {
	text := p.Message
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// docs is where the page of a rule is read.
const docs = "https://github.com/theus-hooks/theus-hooks/blob/main/docs/checks.md"

// The parts of a SARIF log that are used.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID                   string     `json:"id"`
		ShortDescription     sarifText  `json:"shortDescription"`
		FullDescription      sarifText  `json:"fullDescription"`
		HelpURI              string     `json:"helpUri"`
		DefaultConfiguration sarifLevel `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical  `json:"physicalLocation"`
		LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

// sarifReport is a SARIF log of one run, with the rules that have a result.
func sarifReport(problems []settings.Problem) ([]byte, error) {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	driver := &run.Tool.Driver
	driver.Name, driver.InformationURI, driver.Rules = "theus-hooks", docs, []sarifRule{}
	index := map[string]int{}
	for _, r := range Rules() {
		for _, p := range problems {
			if _, done := index[r.ID]; p.Code == r.ID && !done {
				index[r.ID] = len(driver.Rules)
				driver.Rules = append(driver.Rules, sarifRule{
					r.ID, sarifText{r.Summary}, sarifText{r.Text}, docs + "#" + r.ID, sarifLevel{string(r.Severity)},
				})
			}
		}
	}
	for _, p := range problems {
		run.Results = append(run.Results, sarifResult{p.Code, index[p.Code], string(p.Severity), sarifText{said(p)}, []sarifLocation{location(p)}})
	}
	text, err := jsontext.Marshal(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	return append(text, '\n'), err
}

func location(p settings.Problem) sarifLocation {
	var loc sarifLocation
	loc.PhysicalLocation.ArtifactLocation.URI = uri(p.File)
	if p.Line > 0 {
		loc.PhysicalLocation.Region = &sarifRegion{p.Line, p.Column}
	}
	if p.Path != "" {
		loc.LogicalLocations = []sarifLogical{{p.Path}}
	}
	return loc
}

// uri is a file name as a reference of RFC 3986: relative, or with a scheme.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") {
			u.Path = "/" + u.Path // a drive of Windows
		}
	}
	return u.String()
}
