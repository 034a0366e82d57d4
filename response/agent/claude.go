package agent

import "time"

// claude speaks the canonical format, as its documentation has it.
var claude = Agent{
	Name: "claude", Title: "Claude Code", native: true, EnvFiles: []string{"CLAUDE_ENV_FILE"},
	Config: Config{
		Dir: ".claude", File: "settings.json", HomeVar: "CLAUDE_CONFIG_DIR",
		Unit: time.Second, Timeout: 660 * time.Second, Timeouts: map[string]time.Duration{"SessionEnd": 60 * time.Second},
		MatchAll: "*", NoMatcher: []string{"FileChanged"}, // there it also names the files to watch
		Omit: []Omission{{"WorktreeCreate", "a hook for it takes the place of git, so it is left to whoever has one"}},
		Off:  []Switch{{[]string{"disableAllHooks"}, true}},
		Needs: []string{
			"start running sessions of claude anew: they may go on with the hooks they read at their start",
		},
		ProjectNeeds: []string{
			"claude runs hooks of a project only where you accepted that its folder is trusted",
		},
	},
}
