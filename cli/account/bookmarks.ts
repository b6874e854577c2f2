/**
 * The bookmark of an account, so that a command sees what the command before it has written or shown. It is a file in
 * XDG_STATE_HOME/platform/bookmarks. A platform that reads everything from the primary has none.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isBookmark, primary } from "../../client/bookmarks.ts";
import { here, type Surroundings } from "../surroundings.ts";
import type { Account } from "./credentials.ts";

/** The bookmark to begin with, and what to keep at the end of the process. */
export type KeptBookmark = {
  first: string;
  /** Keeps the text that the function returns when the process ends. */
  keep(text: () => string): void;
};

/** An account of a process. `end` writes its file. */
type Opened = KeptBookmark & { end(): void };

/** The accounts of each process, by their files. */
const opened = new WeakMap<Surroundings, Map<string, Opened>>();

/** Returns the accounts of the process. It has one listener, however many accounts it opens. */
function openedHere(): Map<string, Opened> {
  const surroundings = here();
  const known = opened.get(surroundings);
  if (known) return known;
  const accounts = new Map<string, Opened>();
  opened.set(surroundings, accounts);
  surroundings.once("exit", () => {
    for (const { end } of accounts.values()) end();
  });
  return accounts;
}

/** The most bookmarks to keep. More of them make a long header. */
const maxWords = 8;

/**
 * Takes the bookmark of an account out of its file, and puts a new one there when the process ends. Until then, and if
 * the process dies, the file has another text, so that other processes read from the primary. They also do after two
 * processes at the same time, because no one knows which of the two has seen more.
 */
export function keptBookmark(
  { url, identity }: Pick<Account, "url" | "identity">,
  env: NodeJS.ProcessEnv = here().env,
): KeptBookmark {
  const state = env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const name = createHash("sha256").update(`${url}\n${identity}`).digest("hex");
  const file = join(state, "platform", "bookmarks", name);
  const accounts = openedHere();
  const known = accounts.get(file);
  if (known) return known;
  const stored = read(file);
  const mark = stored === undefined ? undefined : `a process has begun: ${randomUUID()}`;
  if (mark !== undefined) write(file, mark);
  const texts: (() => string)[] = [];
  const kept = {
    first: stored !== undefined && isBookmark(stored) ? stored : primary,
    keep: (text: () => string) => void texts.push(text),
    end() {
      const isAlone = read(file) === mark;
      write(file, isAlone ? usableText(texts) : "several processes have ended");
    },
  };
  accounts.set(file, kept);
  return kept;
}

/** The bookmarks in the texts. Undefined if there is none, or if only the primary has seen as much. */
function usableText(texts: (() => string)[]): string | undefined {
  const words = new Set(texts.flatMap((text) => text().split(",")));
  const bookmarks = [...words].filter(isBookmark);
  const isUsable = bookmarks.length > 0 && bookmarks.length <= maxWords && !words.has(primary);
  return isUsable ? bookmarks.join(",") : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Replaces the text of the file, or deletes the file. A failure has the same effect as no file. */
function write(file: string, text: string | undefined): void {
  try {
    if (text === undefined) {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const next = `${file}.${randomUUID()}.new`;
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, file);
  } catch {
    rmSync(file, { force: true });
  }
}
