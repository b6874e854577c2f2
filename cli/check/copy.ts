/**
 * Runs the generators in a copy of their input and compares the results. The checkout does not change. `buf` and
 * `drizzle-kit` check protos and migrations, but they do not compare the committed files with what they would write.
 */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../project.ts";
import { runProcess } from "../wrangler.ts";
import type { StepOutcome } from "./steps.ts";

const copied = ["package.json", "migrations", "schema", "client"];
const generated = ["schema/gen", "schema/third_party/buf", "client/gen"].map((path) =>
  join(projectRoot, path),
);

/** A folder with the input of the generators and without their output. */
export class GeneratorSandbox {
  readonly folder = mkdtempSync(join(tmpdir(), "platform-check-"));

  constructor() {
    for (const name of copied) this.#take(name);
    symlinkSync(join(projectRoot, "node_modules"), join(this.folder, "node_modules"));
  }

  #take(path: string): void {
    cpSync(join(projectRoot, path), join(this.folder, path), {
      recursive: true,
      filter: (source) => !generated.includes(source),
    });
  }

  /** Runs a program of node_modules/.bin, or Node, in the folder. */
  async run(program: string, ...args: string[]): Promise<StepOutcome> {
    const { code, out, err } = await runProcess(program, args, { cwd: this.folder, quiet: true });
    return { passed: code === 0, text: `${out}${err}` };
  }

  /** Passes if a folder of the checkout has the same files as the copy, byte for byte. */
  compare(path: string, advice: string): StepOutcome {
    const [here, there] = [contents(join(projectRoot, path)), contents(join(this.folder, path))];
    const names = [...new Set([...here.keys(), ...there.keys()])].sort();
    const lines = names
      .filter((name) => here.get(name) !== there.get(name))
      .map((name) => {
        const what = there.has(name)
          ? here.has(name)
            ? "differs"
            : "is missing"
          : "is no longer generated";
        return `${path}/${name} ${what}`;
      });
    return { passed: lines.length === 0, text: [...lines, advice].join("\n") };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function contents(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), "latin1")]));
}
