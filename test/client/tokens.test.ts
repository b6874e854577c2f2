/** Token sources: what they cache, and when they request another token. */
import { mkdtemp, readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnsecuredJWT } from "jose";
import {
  createClient,
  staticToken,
  type TokenSource,
  Unauthenticated,
  Unavailable,
} from "platform-api/client";
import { commandToken, fileToken } from "platform-api/client/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonAnswer, startScriptedServer, statusAnswer } from "./scripted_server.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tokens-"));
});
afterAll(() => rm(folder, { recursive: true }));

let made = 0;
/** A JWT that is valid for the given number of seconds. No two are equal. */
const jwt = (seconds: number) =>
  new UnsecuredJWT({ jti: String(made++) })
    .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
    .encode();

/** A command that prints a text and counts its runs in a file. */
async function command(text: string) {
  const path = join(folder, `runs-${made++}`);
  await writeFile(path, "");
  const script = `require("fs").appendFileSync(${JSON.stringify(path)}, "x"); console.log(${JSON.stringify(text)})`;
  return {
    source: commandToken([process.execPath, "-e", script]),
    runs: async () => (await readFile(path, "utf8")).length,
  };
}

const done = jsonAnswer(200, { uid: "u" });
const refusal = statusAnswer(401, 16);

describe("a command", () => {
  test("runs once for all calls while its token is valid", async () => {
    const token = jwt(3600);
    const { source, runs } = await command(token);
    const tokens = await Promise.all([source({}), source({}), source({})]);
    expect([...tokens, await source({})]).toEqual([token, token, token, token]);
    expect(await runs()).toBe(1);
  });

  test.each([
    ["has ended", () => jwt(-10)],
    ["is not a JWT", () => "opaque"],
  ])("runs again if its token %s", async (_, token) => {
    const { source, runs } = await command(token());
    await source({});
    await source({});
    expect(await runs()).toBe(2);
  });

  test("runs again if its token was rejected", async () => {
    const { source, runs } = await command(jwt(3600));
    const refused = await source({});
    await Promise.all([source({ refused }), source({ refused })]);
    expect(await runs()).toBe(2);
  });

  test("runs without a shell", async () => {
    const source = commandToken([process.execPath, "-p", "process.argv[1]", "$(id); `id` *"]);
    expect(await source({})).toBe("$(id); `id` *");
  });

  test("that fails rejects with its output, and runs again for the next call", async () => {
    const path = join(folder, "is-there");
    const script = `require("fs").existsSync(${JSON.stringify(path)}) ? console.log("t") : (console.error("log in first"), process.exit(1))`;
    const source = commandToken([process.execPath, "-e", script]);
    await expect(source({})).rejects.toThrow("log in first");
    await writeFile(path, "");
    expect(await source({})).toBe("t");
  });

  test("that prints nothing, or does not exist, rejects", async () => {
    await expect(commandToken([process.execPath, "-e", ""])({})).rejects.toThrow("no token");
    await expect(commandToken(["/nowhere/at/all"])({})).rejects.toThrow("/nowhere/at/all");
  });

  test("is waited for only until the call ends, and other calls still get its token", async () => {
    const token = jwt(3600);
    const { source, runs } = await command(token);
    const stop = new AbortController();
    const ended = source({ signal: stop.signal });
    const other = source({});
    stop.abort("enough");
    await expect(ended).rejects.toBe("enough");
    expect(await other).toBe(token);
    expect(await runs()).toBe(1);
  });
});

describe("a file", () => {
  test("is read again after it changed", async () => {
    const path = join(folder, "token");
    await writeFile(path, "one\n");
    const source = fileToken(path);
    expect([await source({}), await source({})]).toEqual(["one", "one"]);
    await writeFile(path, "three\n");
    expect(await source({})).toBe("three");
  });

  test("is read again when the link to it points elsewhere, as a projected volume's does", async () => {
    const [old, fresh, path] = ["old", "new", "link"].map((name) => join(folder, name));
    await writeFile(old ?? "", "old");
    await writeFile(fresh ?? "", "new");
    await symlink(old ?? "", path ?? "");
    const source = fileToken(path ?? "");
    expect(await source({})).toBe("old");
    await unlink(path ?? "");
    await symlink(fresh ?? "", path ?? "");
    expect(await source({})).toBe("new");
  });

  test("that is empty or missing rejects, and is read again by the next call", async () => {
    const path = join(folder, "late");
    const source = fileToken(path);
    await expect(source({})).rejects.toThrow("ENOENT");
    await writeFile(path, " \n");
    await expect(source({})).rejects.toThrow("is empty");
    await writeFile(path, "token");
    expect(await source({})).toBe("token");
  });
});

describe("a call that returns 401", () => {
  /** Returns the next token each time that one was refused. */
  const renewing = (): TokenSource & { asked: number } => {
    const source = async ({ refused }: { refused?: string | undefined }) => {
      source.asked++;
      return refused === undefined ? "old" : "new";
    };
    source.asked = 0;
    return source;
  };

  test.each([
    ["a read", (client: ReturnType<typeof createClient>) => client.repos.get("u")],
    [
      "a write, which was not carried out",
      (client: ReturnType<typeof createClient>) => client.repos.create("p", { name: "n" }),
    ],
  ])("is sent once more with another token: %s", async (_, call) => {
    await using server = await startScriptedServer(refusal, done);
    const token = renewing();
    await call(createClient({ url: server.url, token }));
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer old",
      "Bearer new",
    ]);
    expect(token.asked).toBe(2);
  });

  test("is an error if the source has no other token", async () => {
    await using server = await startScriptedServer(refusal);
    const client = createClient({ url: server.url, token: staticToken("one") });
    await expect(client.repos.get("u")).rejects.toBeInstanceOf(Unauthenticated);
    expect(server.received).toHaveLength(1);
  });

  test("is an error if the second token is rejected too", async () => {
    await using server = await startScriptedServer(refusal);
    const client = createClient({ url: server.url, token: renewing() });
    await expect(client.repos.get("u")).rejects.toBeInstanceOf(Unauthenticated);
    expect(server.received).toHaveLength(2);
  });
});

test("a token that is not available is not requested more often than by its source", async () => {
  let asked = 0;
  const token = async () => {
    asked++;
    throw new Unavailable({ code: "UNAVAILABLE", status: 503, message: "later" });
  };
  const client = createClient({ url: "http://127.0.0.1:9", token });
  await expect(client.repos.get("u")).rejects.toBeInstanceOf(Unavailable);
  expect(asked).toBe(1);
});

test.each(["a\nb", "tök", "a b", " ", ""])(
  "%j is not a token, and is rejected unread",
  async (token) => {
    await using server = await startScriptedServer(done);
    const refused = await createClient({ url: server.url, token: staticToken(token) })
      .repos.get("u")
      .catch((error) => error);
    expect(refused).toBeInstanceOf(TypeError);
    expect(refused.message).toMatch(/^the token source returned (no|an invalid) token/);
    expect(refused.cause).toBeUndefined();
    expect(server.received).toHaveLength(0);
  },
);

test("a signal ends the wait for a source that ignores it", async () => {
  const token = () => new Promise<string>(() => {});
  const stop = new AbortController();
  const { signal } = stop;
  const call = createClient({ url: "http://127.0.0.1:9", token }).repos.get("u", { signal });
  setTimeout(() => stop.abort("enough"), 20);
  await expect(call).rejects.toBe("enough");
});

test("a call without a token fails as its source does, and is not sent", async () => {
  await using server = await startScriptedServer(done);
  const token = async () => Promise.reject(new Error("no login"));
  await expect(createClient({ url: server.url, token }).repos.get("u")).rejects.toThrow("no login");
  expect(server.received).toHaveLength(0);
});
