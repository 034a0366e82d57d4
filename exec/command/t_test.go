package command
import ("testing";"os";"time";"context";"fmt";"bytes")
func TestX(t *testing.T){
 data := bytes.Repeat([]byte("some text with words /a/b/c\n"), 8<<20/28)
 for _, text := range []string{"x=$(cat); echo ${#x} >/dev/null", `x=$(cat); echo "${x%z*}" | wc -c`, `x=$(cat); echo "${x%%z*}" | wc -c`, `x=$(cat); echo "${x#*z}" | wc -c`,`x=$(cat); echo "${x##*z}" | wc -c`,`x=$(cat); echo "${x%/*}" | wc -c`,`x=$(cat); echo "${x##*/}" | wc -c`,
  `x=$(cat); case "$x" in *a*b*c*d*e*zz*) echo a;; *) echo b;; esac`, `x=$(cat); [[ $x =~ (a|b)+.*zz ]]; echo $?`, `while read -r x; do :; done`, `read -r x; echo a`, `x=$(cat); while read -r y; do :; done <<< "$x"`} {
 for _, sh := range []string{"", "bash"} {
 r:=Run(context.Background(), Job{Command:text,Shell: sh, Dir:"/",Env:os.Environ(),Stdin: data, Timeout:20*time.Second}); fmt.Println(text, r.Shell, r.ShellWhy, r.Duration, r.Status, string(r.Stdout)) }}
}
