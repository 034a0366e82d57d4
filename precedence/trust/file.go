package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Bounds of what is read. More cannot be trusted.
const (
	MaxFile  = 32 << 20 // bytes of one file
	MaxTotal = 64 << 20 // bytes of all files
	MaxFiles = 1000
	maxText  = 64 << 10 // bytes of a file that are kept for people
)

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isScript reports whether a file is one that runs by itself, by its mode or
// its name.
func isScript(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".sh", ".bash", ".zsh", ".fish", ".ksh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".rb", ".pl", ".php",
		".lua", ".awk", ".sed", ".jq", ".r", ".ps1", ".psm1", ".bat", ".cmd", ".exe", ".jar", ".wasm":
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// runsFile reports whether the next file among the words is a script: word i is
// the name of an interpreter, or the option by which a filter takes its program.
func runsFile(words []string, i int) bool {
	switch name := strings.TrimSuffix(filepath.Base(words[i]), ".exe"); name {
	case ".", "source":
		return i == 0
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "node", "nodejs", "tsx", "ts-node", "ruby", "perl", "php",
		"lua", "luajit", "Rscript", "java", "pwsh", "powershell", "dotnet", "osascript":
		return true
	case "-f", "--file", "--from-file":
		switch filepath.Base(words[0]) {
		case "awk", "gawk", "mawk", "sed", "jq", "yq", "make", "gmake", "just":
			return true
		}
	case "run":
		return i == 1
	default:
		return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy")
	}
	return false
}

// ofSystem reports whether a path belongs to the system, whose programs an
// administrator changes and an update must not ask about.
func ofSystem(path string) bool {
	for _, dir := range []string{"/bin/", "/sbin/", "/usr/", "/lib/", "/opt/", "/nix/store/", "/System/", "/Library/", `C:\Windows\`, `C:\Program Files`} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}

// read hashes the files that were found.
func (f *finder) read() (items []Item, refused string) {
	if f.full {
		return nil, fmt.Sprintf("its commands are more than %d words or %d MiB", maxWords, maxCode>>20)
	}
	total := int64(0)
	for _, path := range f.order {
		name, inside := f.ws.name(path)
		if !inside && ofSystem(path) {
			continue
		}
		it, size, err := readItem(f.ws, path, name)
		if total += size; err == nil && (total > MaxTotal || len(items) >= MaxFiles) {
			err = fmt.Errorf("the files that hooks name are more than %d or longer than %d MiB together", MaxFiles, MaxTotal>>20)
		}
		if err != nil {
			return items, fmt.Sprintf("%s: %v", name, err)
		}
		items = append(items, it)
	}
	return items, ""
}

// name is how a file is called: relative to the project where it is inside.
func (ws Workspace) name(path string) (name string, inside bool) {
	for _, root := range []string{ws.Root, ws.Main} {
		if sub, err := filepath.Rel(root, path); err == nil && fs.ValidPath(filepath.ToSlash(sub)) {
			return filepath.ToSlash(sub), true
		}
	}
	return path, false
}

var (
	errTooLong = fmt.Errorf("it is longer than %d MiB", MaxFile>>20)
	errSwapped = errors.New("it was replaced while it was read")
)

// readItem reads one file. A link's target is part of the item, so that a link
// that is turned to another file is a change, and it is the target of the file
// that was really read.
func readItem(ws Workspace, path, name string) (it Item, size int64, err error) {
	it = Item{Kind: File, Group: name, Name: name}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // never waits for a pipe
	if err != nil {                                                   // nothing of it can run either, until that changes
		it.Sum = sum("unreadable")
		return it, 0, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return it, 0, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxFile {
		return it, info.Size(), errTooLong
	}
	link, err := ws.target(path, info)
	if err != nil {
		return it, 0, err
	}
	h := sha256.New()
	h.Write([]byte(frame(link)))
	var head textHead
	buffer := make([]byte, min(info.Size()+1, 32<<10))
	n, err := io.CopyBuffer(io.MultiWriter(h, &head), io.LimitReader(file, MaxFile+1), buffer)
	switch {
	case err != nil:
		return it, n, err
	case n > MaxFile:
		return it, n, errTooLong
	}
	it.Sum, it.Text = hex.EncodeToString(h.Sum(nil)), head.text()
	if link != "" {
		it.Text = "link to " + link + "\n" + it.Text
	}
	return it, n, nil
}

// target is where a path leads through links, "" when there are none on the
// way below the project. opened is the file that was opened by it.
func (ws Workspace) target(path string, opened os.FileInfo) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", errSwapped
	}
	if now, err := os.Lstat(real); err != nil || !os.SameFile(now, opened) {
		return "", errSwapped
	}
	if real == path {
		return "", nil
	}
	for _, root := range []string{ws.Root, ws.Main} { // the project itself may stand behind a link
		realRoot, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		sub, err := filepath.Rel(realRoot, real)
		if err != nil || !fs.ValidPath(filepath.ToSlash(sub)) {
			continue
		}
		if filepath.Join(root, sub) == path {
			return "", nil
		}
		return filepath.ToSlash(sub), nil
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && filepath.Join(parent, filepath.Base(path)) == real {
		if _, inside := ws.name(path); !inside {
			return "", nil
		}
	}
	return real, nil
}

// textHead keeps what is written to it, as far as people may want to read it.
type textHead struct {
	data []byte
	over bool
}

func (t *textHead) Write(p []byte) (int, error) {
	if len(t.data)+len(p) > maxText {
		t.data, t.over = nil, true
	} else if !t.over {
		t.data = append(t.data, p...)
	}
	return len(p), nil
}

func (t *textHead) text() string {
	if t.over || !utf8.Valid(t.data) || strings.ContainsRune(string(t.data), 0) {
		return ""
	}
	return string(t.data)
}
