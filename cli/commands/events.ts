/** `platformctl events`: follows the audit log. `events list` is `list events`. */
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { parseTime } from "../history/times.ts";
import { withoutControls } from "../resources/cells.ts";
import { printDocumentOfStream } from "../resources/documents.ts";
import type { JsonObject } from "../resources/flags.ts";
import { findUid, requireResourceNamed } from "../resources/names.ts";
import { addOptions } from "../resources/options.ts";
import {
  addOutputOptions,
  choosesRows,
  type OutputOptions,
  printRows,
} from "../resources/output.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { groupOption } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { withExamples } from "./answer.ts";
import { addAlias } from "./verbs/aliases.ts";

const listEvents = "platform.events.v2.EventsService/ListEvents";

/** How often `tail` looks for new events, in milliseconds. */
const lookInterval = 1_000;

type EventOptions = {
  group?: string;
  since?: string;
  type?: string[];
  about?: string;
  by?: string;
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
  addAlias(events, "events list");
  const command = events
    .command("tail")
    .description(
      "Print events as they happen, until you press Ctrl-C. With --since, begin with the events since that time.",
    );
  addOptions(addOutputOptions(command, "event"), "group", "since", "by", "repo");
  withExamples(
    command
      .option("--type <text,…>", typeHelp, commaSeparated)
      .option("--about <text>", "Only events about the resource with this uid.")
      .option("--tag <text>", "Only events about a tag with this name.")
      .option("--request-id <text>", "Only changes by the request with this `x-request-id`."),
    "platformctl events tail --type 'api.platform.registry.tag.*'",
  ).action(tail);
}

/** The text of the same filter of `list events`. */
const typeHelp =
  "Only events of one of these types, such as `api.platform.registry.tag.created.v1`.";

const commaSeparated = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text.split(","),
];

async function requestOf(platform: PlatformClient, options: EventOptions): Promise<JsonObject> {
  const below = await groupOption(platform, options.group);
  const scope = { below };
  const uidOf = async (kind: string, text: string | undefined) =>
    text === undefined ? undefined : findUid(platform, requireResourceNamed(kind), text, scope);
  const values = {
    types: options.type,
    subject: options.about,
    actorUid: await uidOf("identity", options.by),
    repoUid: await uidOf("repo", options.repo),
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
