/** Plays wrangler with an account of Cloudflare, in the process of the test. It records each command line. */
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { type Program, runToEnd, type Tools } from "../../cli/run_program.ts";
import { within } from "../../cli/surroundings.ts";
import type { ProcessResult } from "../../cli/wrangler.ts";
import { type ProgramResult, ranHere } from "./command.ts";

/** A command line, and what its files contained then. */
export interface WranglerCall {
  args: string[];
  /** The content of `--secrets-file`. */
  secrets: Record<string, string> | undefined;
  /** The text of `--config`. */
  config: string;
}

/** The answer to a command. Without one, wrangler succeeds and prints nothing. */
type Answer = Partial<ProcessResult> | undefined;

const optionOf = (args: string[], option: string) => args[args.indexOf(option) + 1] ?? "";
const refused = (err: string): Answer => ({ code: 1, err });
const json = (value: unknown): Answer => ({ out: JSON.stringify(value) });

/** Starts with an empty account. `answers` are for commands that begin with these words, and come first. */
export function newWrangler(
  answers: Record<string, (call: WranglerCall) => Answer | Promise<Answer>> = {},
) {
  const calls: WranglerCall[] = [];
  /** The databases by their names or bindings. */
  const databases = new Map<string, { id: string; sqlite: DatabaseSync }>();
  const create = (name: string) => {
    const made = { id: crypto.randomUUID(), sqlite: new DatabaseSync(":memory:") };
    databases.set(name, made);
    return made;
  };
  const things = new Set<string>();
  const createOnce = (name: string): Answer => {
    if (things.has(name)) return refused("it already exists");
    things.add(name);
    return undefined;
  };
  const replies: typeof answers = {
    ...answers,
    "d1 execute": ({ args }) =>
      executed((databases.get(args[2] ?? "") ?? create("DB")).sqlite, args),
    "d1 list": () => json([...databases].map(([name, { id }]) => ({ name, uuid: id }))),
    "d1 create": ({ args }) => ({ out: `database_id = "${create(args[2] ?? "").id}"` }),
    "d1 delete": ({ args }) => void databases.delete(args[2] ?? ""),
    "queues info": ({ args }) => (things.has(`queue ${args[2]}`) ? undefined : refused("none")),
    "queues create": ({ args }) => createOnce(`queue ${args[2]}`),
    "r2 bucket create": ({ args }) => createOnce(`bucket ${args[3]}`),
  };
  const run: Tools["run"] = async (args) => {
    const secrets = args.includes("--secrets-file")
      ? JSON.parse(await readFile(optionOf(args, "--secrets-file"), "utf8"))
      : undefined;
    const call = { args, secrets, config: await readFile(optionOf(args, "--config"), "utf8") };
    calls.push(call);
    const reply = Object.entries(replies).find(([words]) =>
      `${args.join(" ")} `.startsWith(`${words} `),
    );
    return { code: 0, out: "", err: "", ...(await reply?.[1](call)) };
  };
  return {
    calls,
    databases,
    run,
    /** The command lines so far that begin with these words. */
    callsOf: (words: string) =>
      calls.filter(({ args }) => `${args.join(" ")} `.startsWith(`${words} `)),
  };
}

async function executed(sqlite: DatabaseSync, args: string[]): Promise<Answer> {
  if (args.includes("--file")) {
    sqlite.exec(`BEGIN;\n${await readFile(optionOf(args, "--file"), "utf8")}\nCOMMIT;`);
    return undefined;
  }
  const statements = optionOf(args, "--command").split(";");
  return json(statements.map((one) => ({ results: sqlite.prepare(one).all() })));
}

/** Runs a program with that wrangler, and returns its exit code and output. The site is not built. */
export const ranWith = (
  { run, migrations }: Pick<Tools, "run" | "migrations">,
  program: Program,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramResult> =>
  ranHere(
    (surroundings) =>
      within(surroundings, () =>
        runToEnd(() => program(args, { run, migrations, buildSite: async () => {} })),
      ),
    { env },
  );
