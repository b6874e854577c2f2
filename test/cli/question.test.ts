import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { Cancelled } from "../../cli/failure.ts";
import { askQuestion } from "../../cli/question.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { newStateFolder, platformctl, root, terminal } from "./command.ts";

const newEnds = () => ({ input: new PassThrough(), output: new PassThrough() });

describe("a question", () => {
  test.each([
    ["yes\n", "yes"],
    ["yes\r\n", "yes"],
    ["\n", ""],
  ])("with the input %j returns %j", async (typed, answer) => {
    const ends = newEnds();
    const asked = askQuestion("Well? ", ends);
    ends.input.write(typed);
    expect(await asked).toBe(answer);
    expect(String(ends.output.read())).toBe("Well? ");
  });

  test("reads its line in pieces, and leaves further input to the next question", async () => {
    const ends = newEnds();
    const first = askQuestion("First? ", ends);
    ends.input.write("o");
    ends.input.write("ne\ntwo\nthr");
    expect(await first).toBe("one");
    expect(await askQuestion("Second? ", ends)).toBe("two");
    const third = askQuestion("Third? ", ends);
    ends.input.write("ee\n");
    expect(await third).toBe("three");
  });

  test.each<[string, (input: PassThrough) => unknown]>([
    ["ends", (input) => input.end()],
    ["ends in the middle of a line", (input) => input.end("yes")],
    ["breaks", (input) => input.destroy(new Error("EIO"))],
  ])("is cancelled where the input %s", async (_, stop) => {
    const ends = newEnds();
    const asked = askQuestion("Well? ", ends);
    stop(ends.input);
    await expect(asked).rejects.toThrow(Cancelled);
    await expect(asked).rejects.toMatchObject({ exitCode: 130 });
    // The next one does not wait for what cannot come.
    await expect(askQuestion("Again? ", ends)).rejects.toThrow(Cancelled);
  });

  test("leaves no listener", async () => {
    const ends = newEnds();
    const before = process.listenerCount("SIGINT");
    const asked = askQuestion("Well? ", ends);
    expect(process.listenerCount("SIGINT")).toBe(before + 1);
    ends.input.write("yes\n");
    await asked;
    expect(process.listenerCount("SIGINT")).toBe(before);
    expect(ends.input.listenerCount("data") + ends.input.listenerCount("error")).toBe(0);
  });
});

describe("a command that asks", () => {
  let organization: Organization;
  let env: NodeJS.ProcessEnv;
  let uid = "";

  beforeAll(async () => {
    organization = await newOrganization();
    env = {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: "/nowhere",
      PLATFORM_STATE: await newStateFolder(organization),
      NO_COLOR: "1",
    };
    const { token } = organization.owner;
    uid = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "kept" }))
      .uid;
  });

  const isThere = async () => {
    const { token } = organization.owner;
    return (await callRest(`/registry/v2/repos/${uid}`, { token })).status === 200;
  };

  type Child = ReturnType<typeof spawn>;

  /** Runs a program until it asks a question, then calls a function on it, and returns how it ended. */
  async function asked(child: Child, stop: (child: Child) => unknown) {
    let out = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        const wasAsked = out.includes("[y/N]");
        out += text;
        if (!wasAsked && out.includes("[y/N]")) stop(child);
      });
    }
    const ended = await new Promise<object>((resolve) =>
      child.once("close", (code, signal) => resolve({ code, signal })),
    );
    return { ...ended, out: out.replaceAll("\r", "") };
  }

  const program = [join(root, "cli/platformctl.js"), "delete", "repo", "kept"];
  const believing = () =>
    spawn(process.execPath, program, {
      env: { ...env, ...terminal(100), TERMINAL_INPUT: "1" },
    });

  const whole = /^This will be permanently deleted:\n.*\nDelete\? \[y\/N\] \n$/;

  const signals: [name: string, code: number, signals: NodeJS.Signals[]][] = [
    ["SIGINT", 130, ["SIGINT"]],
    ["SIGTERM", 143, ["SIGTERM"]],
    ["SIGHUP", 129, ["SIGHUP"]],
    ["SIGINT twice", 130, ["SIGINT", "SIGINT"]],
  ];
  for (const [some, tier] of tiers(signals, ([, , sent]) => `${sent.length}`))
    test.for(some)(
      "ends quietly at %s with exit code %i, and does nothing",
      tier,
      async ([, code, sent]) => {
        const ended = await asked(believing(), (child) => sent.map((one) => child.kill(one)));
        expect(ended).toMatchObject({ code, signal: null });
        expect(ended.out).toMatch(whole);
        expect(await isThere()).toBe(true);
      },
    );

  test.each(["", "y"])(
    "ends quietly at the end of its input after %j, and does nothing",
    async (input) => {
      const how = { env, input, columns: 100, hasPerson: true };
      const { code, out, err } = await platformctl(["delete", "repo", "kept"], how);
      expect({ code, out }).toEqual({ code: 130, out: "" });
      expect(err).toMatch(whole);
      expect(await isThere()).toBe(true);
    },
  );

  const quoted = (...words: string[]) => words.map((word) => `'${word}'`).join(" ");
  const hasScript = spawnSync("script", ["--version"]).status === 0;
  const keys: [string, string][] = [
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
  ];

  for (const [some, tier] of tiers(keys, () => "key"))
    test.skipIf(!hasScript).for(some)(
      "on a real terminal, which needs script(1), %s ends it and leaves the terminal as it was",
      tier,
      async ([, key]) => {
        // The shell itself lives on.
        const command = `trap : INT; stty cols 100; stty -g; ${quoted(process.execPath, ...program)}; echo "code $?"; stty -g`;
        const child = spawn("script", ["-qec", command, "/dev/null"], { env });
        const { out } = await asked(child, () => child.stdin?.write(key));
        const lines = out.trimEnd().split("\n");
        expect(lines.at(-1)).toBe(lines[0]);
        expect(lines.slice(1, -1)).toEqual([
          "This will be permanently deleted:",
          expect.stringContaining("repo kept"),
          expect.stringMatching(/^Delete\? \[y\/N\] (\^C)?$/),
          "code 130",
        ]);
        expect(await isThere()).toBe(true);
      },
    );
});
