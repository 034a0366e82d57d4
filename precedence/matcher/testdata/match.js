// Reads [{"pattern", "subjects"}] and answers, for each pattern, what
// JavaScript says of it: an error, or whether it matches each subject.
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answers = cases.map(({ pattern, subjects }) => {
  try {
    const re = new RegExp(pattern);
    return { matches: subjects.map((s) => re.test(s)) };
  } catch (e) {
    return { error: e.message };
  }
});
console.log(JSON.stringify(answers));
