/** `platformctl events`: reads the audit log, or follows it. */
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { parseTime } from "../history/times.ts";
import { withoutControls } from "../resources/cells.ts";
import { printDocumentOfStream } from "../resources/documents.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import {
  addOutputOptions,
  choosesRows,
  type OutputOptions,
  printRows,
} from "../resources/output.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { groupHelp, groupOption } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { withExamples } from "./answer.ts";

const listEvents = "platform.events.v2.EventsService/ListEvents";

/** How often `tail` looks for new events, in milliseconds. */
const lookInterval = 1_000;

type EventOptions = {
  group?: string;
  since?: string;
  until?: string;
  type?: string[];
  subject?: string;
  actor?: string;
  repo?: string;
  tag?: string;
  requestId?: string;
} & OutputOptions;

/** Adds `events`. */
export function addEvents(program: Command): void {
  const events = withExamples(
    program
      .command("events")
      .description("Read the audit log: each change, with its time and its caller."),
    "platformctl events list --since 7d",
    "platformctl events tail",
  );
  const add = (name: string, text: string) =>
    addOutputOptions(events.command(name).description(text), "event")
      .option("-g, --group <group>", groupHelp)
      .option("--type <type...>", "Only events of this type. A * at the end stands for the rest.")
      .option("--subject <uid>", "Only events about this resource.")
      .option("--actor <uid>", "Only changes by this identity.")
      .option("--repo <uid>", "Only events about this repository and its tags.")
      .option("--tag <name>", "Only events about tags with this name.")
      .option("--request-id <id>", "Only changes by this request.");
  withExamples(
    add("list", "List events, oldest first.")
      .option("--since <time>", "Only events at this time or later (default: 24h).")
      .option("--until <time>", "Only events before this time."),
    "platformctl events list --since 7d --type 'api.iam.*'",
    "platformctl events list --since 30d --json > audit.jsonl",
  ).action(list);
  withExamples(
    add("tail", "Print events as they happen, until you press Ctrl-C.").option(
      "--since <time>",
      "Begin with the events since this time (default: now).",
    ),
    "platformctl events tail --type 'api.platform.registry.tag.*'",
  ).action(tail);
}

async function requestOf(platform: PlatformClient, options: EventOptions): Promise<JsonObject> {
  const below = await groupOption(platform, options.group);
  const values = {
    types: options.type,
    subject: options.subject,
    actorUid: options.actor,
    repoUid: options.repo,
    tag: options.tag,
    requestId: options.requestId,
  };
  const filters = Object.entries(values).filter(([, value]) => value !== undefined);
  return {
    ...(below === undefined ? {} : { uidp: { descendantsOf: below } }),
    ...(Object.fromEntries(filters) as JsonObject),
    orderBy: "create_time",
  };
}

async function list(options: EventOptions): Promise<void> {
  const now = new Date();
  const { since = "24h", until } = options;
  const period: JsonObject = { since: parseTime(since, now).toISOString() };
  if (until !== undefined) period.before = parseTime(until, now).toISOString();
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const request = { ...(await requestOf(platform, options)), ...period };
    // Printed page by page, because an export can be larger than the memory.
    for await (const events of platform.pages(listEvents, request)) print(events, options);
  });
}

/** The times of events, and the clock of this machine, differ by less than this. In milliseconds. */
const timeTolerance = 600_000;

/** Looks for events after the last one. A lost connection costs nothing: the next look finds what is missing. */
async function tail(options: EventOptions): Promise<void> {
  const now = new Date();
  const since = (options.since ? parseTime(options.since, now) : now).toISOString();
  const platform = await openPlatform();
  let isOver = false;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) {
    here().once(signal, () => {
      isOver = true;
      stop.abort();
    });
  }
  await explainFailure({ verb: "call", platform }, async () => {
    const request = await requestOf(platform, options);
    const position: JsonObject = { since };
    while (!isOver) {
      const lookStart = Date.now();
      for await (const events of platform.pages(listEvents, { ...request, ...position })) {
        print(events, options);
        const last = events.at(-1)?.uid;
        if (last !== undefined) position.after = last;
      }
      // Older events were looked at, so the next look does not have to.
      const seen = new Date(lookStart - timeTolerance).toISOString();
      if (String(position.since) < seen) position.since = seen;
      await pause(lookInterval, undefined, { signal: stop.signal }).catch(() => {});
    }
  });
}

/** Prints each event as one document or one line, because a stream of events has no end. */
function print(events: JsonObject[], options: EventOptions): void {
  if (options.json) for (const event of events) printDocumentOfStream(options, event);
  else if (choosesRows(options))
    printRows(requireResourceNamed("event"), events, options, here().stdout);
  else here().stdout.write(events.map((event) => `${lineOf(event)}\n`).join(""));
}

function lineOf({ createTime, type, subject, actor }: JsonObject): string {
  const who = (actor as JsonObject | undefined)?.subject ?? "-";
  const cells = [createTime, String(type).replace(/^dev\.[^.]+\./, ""), subject ?? "-", who];
  return cells.map((cell) => withoutControls(String(cell))).join("\t");
}
