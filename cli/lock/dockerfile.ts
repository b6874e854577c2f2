/** Image references in a Dockerfile: `FROM`, `COPY --from`, `RUN --mount` and `# syntax`. */
import {
  type Dockerfile,
  type Instruction,
  readInstructions,
  wordsOf,
} from "./dockerfile_lines.ts";
import { type Expanded, expand } from "./expand.ts";
import { addReference, type FoundReferences } from "./references.ts";
import { type Traced, textOf } from "./traced.ts";

/** The variables that are defined before the first stage, and how often the file contains each word. */
type Variables = { values: Map<string, Traced>; counts: () => Map<string, number> };

/** Adds the references of a Dockerfile. The names of stages need no care, because a name with a host is never one. */
export function readDockerfile(references: FoundReferences): void {
  const file = readInstructions(references.source.text);
  const variables = newVariables(references.source.text);
  for (const { name, value } of file.directives) {
    const [image = []] = wordsOf(value, false);
    if (name === "syntax") add(references, { chars: image }, image);
  }
  let hasStage = false;
  for (const instruction of file.instructions) {
    const { name } = instruction;
    if (name === "ARG" && !hasStage) defineVariables(file, instruction, variables);
    if (name === "FROM") {
      hasStage = true;
      readFrom(references, file, instruction, variables);
    }
    if (name === "COPY" || name === "ADD") readCopy(references, instruction);
    if (name === "RUN") readRun(references, instruction);
  }
}

function add(references: FoundReferences, { chars, missing }: Expanded, written: Traced): void {
  const [first] = written;
  if (first) addReference(references, { chars, missing, offset: first.offset });
}

function expandIn(file: Dockerfile, chars: Traced, variables: Variables): Expanded {
  const { values } = variables;
  return expand(chars, {
    escape: file.escape,
    hasQuotes: true,
    valueOf: (name) => values.get(name),
  });
}

/** Reads `ARG NAME=value …`. A name without a value has none until a build sets it. */
function defineVariables(file: Dockerfile, { args }: Instruction, variables: Variables): void {
  for (const word of wordsOf(args, true)) {
    const equals = textOf(word).indexOf("=");
    const name = textOf(equals < 0 ? word : word.slice(0, equals));
    variables.values.delete(name);
    if (equals < 0) continue;
    const { chars, missing } = expandIn(file, word.slice(equals + 1), variables);
    if (missing !== undefined) continue;
    const origin = { label: `ARG ${name}`, isShared: isShared(variables, name) };
    variables.values.set(
      name,
      // A value of another variable keeps its place, unless this one is used elsewhere too.
      chars.map((char) => (char.origin && !origin.isShared ? char : { ...char, origin })),
    );
  }
}

function newVariables(text: string): Variables {
  let counts: Map<string, number> | undefined;
  const count = () => {
    const words = new Map<string, number>();
    for (const [word] of text.matchAll(/\w+/g)) words.set(word, (words.get(word) ?? 0) + 1);
    return words;
  };
  return {
    values: new Map(),
    counts: () => {
      counts ??= count();
      return counts;
    },
  };
}

/** Whether the name appears more than twice, which are its definition and one use. */
const isShared = ({ counts }: Variables, name: string) => (counts().get(name) ?? 0) > 2;

function readFrom(
  references: FoundReferences,
  file: Dockerfile,
  { args }: Instruction,
  variables: Variables,
): void {
  const image = wordsOf(args, false).find((word) => !textOf(word.slice(0, 2)).startsWith("--"));
  if (image) add(references, expandIn(file, image, variables), image);
}

/** Reads `--from=`. BuildKit does not expand variables there. */
function readCopy(references: FoundReferences, instruction: Instruction): void {
  for (const flag of flagsOf(instruction)) {
    if (textOf(flag).startsWith("--from=")) addFixed(references, flag.slice("--from=".length));
  }
}

/** Reads `--mount=type=bind,from=…`. */
function readRun(references: FoundReferences, instruction: Instruction): void {
  for (const flag of flagsOf(instruction)) {
    const text = textOf(flag);
    if (!text.startsWith("--mount=")) continue;
    for (const { index, 0: field } of text.slice("--mount=".length).matchAll(/[^,]+/g)) {
      const start = "--mount=".length + index;
      const [key = ""] = /^"?from=/.exec(field) ?? [];
      if (key) addFixed(references, flag.slice(start + key.length, start + field.length));
    }
  }
}

/** The flags at the beginning, which end at the first other word. */
function flagsOf({ args }: Instruction): Traced[] {
  const words = wordsOf(args, true);
  const first = words.findIndex((word) => !textOf(word).startsWith("--"));
  return first < 0 ? words : words.slice(0, first);
}

/** Adds a value without variables. It may be in quotes. */
function addFixed(references: FoundReferences, chars: Traced): void {
  const plain = chars.filter(({ char }) => char !== '"' && char !== "'");
  const [, missing] = /\$\{?(\w+)/.exec(textOf(plain)) ?? [];
  add(references, { chars: plain, ...(missing === undefined ? {} : { missing }) }, plain);
}
