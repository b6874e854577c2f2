/** The part of the guide (docs/guides/ci.md) that consists of the table. A test compares both. */
import { exampleValues, isFoundByToken, type TokenMatch, type WorkloadSystem } from "./fields.ts";

/** The rows of all systems, and a section with the job of each. */
export const guideSections = (systems: readonly WorkloadSystem[]): string =>
  [tableOf(systems), ...systems.map(sectionOf)].join("\n");

const code = (text: string) => `\`${text}\``;

const subjectOf = ({ subject }: TokenMatch) =>
  `${subject.isPattern ? "pattern " : ""}${code(subject.value.replaceAll("|", "\\|"))}`;

const userOf = (match: TokenMatch) =>
  isFoundByToken(match) ? code("oidc") : "the uid of the identity";

const matchOf = (system: WorkloadSystem) => system.match(exampleValues(system));

const tableOf = (
  systems: readonly WorkloadSystem[],
) => `| System | How a job gets its token | User name |
| --- | --- | --- |
${systems
  .map(
    (system) =>
      `| [${system.title}](#${anchorOf(system)}) | ${system.token} | ${userOf(matchOf(system))} |`,
  )
  .join("\n")}
`;

const anchorOf = ({ title }: WorkloadSystem) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");

function sectionOf(system: WorkloadSystem): string {
  const match = matchOf(system);
  const claims = Object.entries(match.claims).map(
    ([name, value]) => `| claim ${code(name)} | ${code(value)} |\n`,
  );
  const audience = match.audience ?? "registry.example.com";
  return `## ${system.title}

The identity accepts these tokens, for example:

| | |
| --- | --- |
| issuer | ${code(match.issuer)} |
| subject | ${subjectOf(match)} |
${claims.join("")}| audience of the token | ${code(audience)}${match.audience === undefined ? "" : " (the identity names it)"} |

${system.notes.map((note) => `- ${note}\n`).join("")}- The format is that of [the documentation](${system.source}).

This is the file **${system.job.path}**:

\`\`\`${system.job.language}
${system.job.text}\`\`\`
`;
}
