/** `node cli/check/prose/main.ts [PATH...]`: the prose of these files, or of all. */
import { projectRoot } from "../../project.ts";
import { proseFiles } from "./files.ts";
import { proseBreaches } from "./prose.ts";

const named = process.argv.slice(2);
const paths = proseFiles(projectRoot).filter(
  (path) =>
    named.length === 0 ||
    named.some((name) => path === name || path.startsWith(`${name.replace(/\/$/, "")}/`)),
);
const breaches = await proseBreaches(projectRoot, paths);
for (const line of breaches) console.log(line);
console.log(`${breaches.length} faults in ${paths.length} files.`);
if (breaches.length > 0) {
  const advice = "If a word is right and not known, add it to cli/check/prose/words.txt.";
  console.log(`The rules are in docs/STYLE.md. ${advice}`);
}
process.exitCode = breaches.length > 0 ? 1 : 0;
