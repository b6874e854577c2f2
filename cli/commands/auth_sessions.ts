/** `platformctl auth sessions`: where people are signed in. */
import type { Command } from "commander";
import { usageFailure } from "../failure.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { requireGroup } from "../resources/where.ts";
import { identityUid } from "./access_arguments.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

const service = "platform.iam.v2.SessionsService";

/** The most sessions that one call ends. */
const maxEnded = 200;

type SessionsOptions = JsonOption & { group?: string; identity?: string };

interface Session {
  uid: string;
  identityUid: string;
  kind?: string;
  client?: string;
  userAgent?: string;
  lastUsedTime?: string;
  expireTime?: string;
  current?: boolean;
}

/** Adds `sessions` and its subcommand to `auth`. */
export function addSessions(auth: Command): void {
  const sessions = addJsonOption(
    place(
      auth
        .command("sessions")
        .description(
          "List where you are signed in, or with --group where the people of that group are.",
        ),
    ),
    "platformctl auth sessions",
    "platformctl auth sessions --group acme.example",
  ).action(listSessions);
  addJsonOption(
    place(
      sessions
        .command("end")
        .description("End sessions. All tokens of a session fail with the next call.")
        .argument("[uid...]", "Uids of the sessions.")
        .option(
          "--others",
          "End all sessions that the list shows, except the one of this command.",
        ),
    ),
    "platformctl auth sessions end UID",
    "platformctl auth sessions end --others",
  ).action((uids: string[], _: unknown, command: Command) => endSessions(uids, command));
}

const place = (command: Command) =>
  command.addOption(optionNamed("group")).addOption(optionNamed("identity"));

async function search(
  platform: PlatformClient,
  { group, identity }: SessionsOptions,
): Promise<Session[]> {
  if (identity !== undefined && group === undefined)
    throw usageFailure("--identity needs --group. Name the group of the identity provider.");
  const found = await platform.call(`${service}/SearchSessions`, {
    ...(group === undefined ? {} : { groupUid: await requireGroup(platform, group) }),
    ...(identity === undefined
      ? {}
      : { identityUid: await identityUid(platform, identity, group) }),
  });
  return ((found as JsonObject).sessions ?? []) as Session[];
}

async function listSessions(options: SessionsOptions): Promise<void> {
  const platform = await openPlatform();
  const sessions = await explainFailure({ verb: "call", platform }, () =>
    search(platform, options),
  );
  const text = sessions.map(lineOf).join("\n");
  printAnswer(options, { sessions }, text === "" ? "There are no sessions." : text);
}

/** The identity is shown only in the list of a group, where it differs. */
function lineOf(session: Session): string {
  const {
    uid,
    kind = "",
    client = "",
    userAgent = "",
    lastUsedTime = "",
    expireTime = "",
  } = session;
  const marks = session.current ? ["this session"] : [];
  const parts = [kind.replace("KIND_", "").toLowerCase(), client, userAgent, ...marks];
  const about = parts.filter((part) => part !== "").join(", ");
  return withoutControls(`${uid}  used ${lastUsedTime}, until ${expireTime}  ${about}`);
}

async function endSessions(uids: string[], command: Command): Promise<void> {
  const options: SessionsOptions & { others?: boolean } = command.optsWithGlobals();
  if (uids.length > 0 === (options.others ?? false))
    throw usageFailure("Name sessions by their uids, or end all of them with --others.");
  const platform = await openPlatform();
  const ended = await explainFailure({ verb: "call", platform }, async () => {
    const found = options.others
      ? (await search(platform, options)).filter(({ current }) => !current).map(({ uid }) => uid)
      : uids;
    if (found.length === 0) return [];
    const request = { uids: found.slice(0, maxEnded) };
    const done = await platform.call(`${service}/EndSessions`, request);
    return ((done as JsonObject).uids ?? []) as string[];
  });
  const count = ended.length === 1 ? "1 session" : `${ended.length} sessions`;
  printAnswer(options, { uids: ended }, `Ended ${count}.`);
}
