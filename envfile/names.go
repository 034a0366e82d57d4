package envfile

import "strings"

// ValidName reports whether name is a name that a shell can assign to.
func ValidName(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// RunsCode reports whether a variable of that name can by itself make programs
// load or run something, or loosen this program's own guard. A repository may
// not set such names. Case does not count.
func RunsCode(name string) bool {
	name = strings.ToUpper(name)
	switch name {
	case "ENV", "IFS", "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "ZDOTDIR",
		"GCONV_PATH", "LOCPATH", "GLIBC_TUNABLES", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
		"NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "NPM_CONFIG_NODE_OPTIONS", "NPM_CONFIG_SCRIPT_SHELL",
		"PYTHONSTARTUP", "PYTHONHOME", "PYTHONBREAKPOINT", "PYTHONINSPECT", "PYTHONWARNINGS",
		"PERL5OPT", "PERL5DB", "RUBYOPT", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "DOTNET_STARTUP_HOOKS", "COMPLUS_PROFAPI_ATTACHPROFILER",
		"LESSOPEN", "LESSCLOSE", "SSH_ASKPASS", "SUDO_ASKPASS", "COMSPEC", "PSMODULEPATH",
		"GIT_ASKPASS", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
		"GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER",
		"THEUS_CONFIG_DIR", "CLAUDE_CONFIG_DIR":
		return true
	}
	for _, prefix := range [...]string{
		"LD_", "DYLD_", "BASH", "GIT_SSH", "GIT_CONFIG", "LUA_INIT", "CORECLR_", "COR_", "THEUS_HOOKS_",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// isShellOwn names the variables whose value a shell keeps, computes or
// protects itself: what they hold is known only to a running one.
func isShellOwn(name string) bool {
	switch name {
	case "_", "PWD", "OLDPWD", "SHLVL", "UID", "EUID", "PPID", "GROUPS", "IFS", "PS4", "OPTIND", "OPTERR",
		"RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "EPOCHREALTIME", "FUNCNAME", "DIRSTACK",
		"PIPESTATUS", "HISTCMD", "SHELLOPTS", "POSIXLY_CORRECT":
		return true
	}
	return strings.HasPrefix(name, "BASH") && name != "BASH_ENV" || strings.HasPrefix(name, "COMP_")
}

// isShellDefault names the variables to which bash gives a value where the
// environment has none.
func isShellDefault(name string) bool {
	switch name {
	case "HOME", "PATH", "TERM", "SHELL", "HOSTNAME", "HOSTTYPE", "MACHTYPE", "OSTYPE":
		return true
	}
	return false
}

// isKept reports whether an export of name leaves the file: the shell's own
// bookkeeping and its protected names do not.
func isKept(name string) bool {
	switch name {
	case "_", "SHLVL", "PWD", "OLDPWD", "UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO":
		return false
	}
	return ValidName(name)
}
