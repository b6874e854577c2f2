/** The moves of a tag that someone made although a tag rule refused them. */
import { exitCodes, toFailure } from "../failure.ts";
import type { JsonObject } from "../resources/flags.ts";
import type { PlatformClient } from "../resources/platform.ts";
import type { ImageReference } from "./image_reference.ts";
import { findRepo } from "./repository.ts";
import type { TagPeriod } from "./tag_history.ts";

/** The rule that refused a move, and the reason of the person who made it. */
export type Override = { overriddenRule?: string; overrideReason?: string };

const rpc = "platform.registry.history.v2.TagHistoryService/ListTagMoves";

/** The most moves that are looked at, the newest ones. */
const maxMoves = 2_000;

/**
 * Adds the overrides to records of a tag, which are newest first. The registry does not say them, so they come from the
 * API. Leaves the records as they are if the caller may not list the moves of the repository.
 */
export async function withOverrides<Row extends TagPeriod>(
  platform: PlatformClient,
  { name, tag }: ImageReference,
  records: Row[],
): Promise<(Row & Override)[]> {
  const [newest, oldest] = [records[0], records.at(-1)];
  if (!newest || !oldest) return records;
  try {
    const childrenOf = await findRepo(platform, name);
    const until = new Date(Date.parse(newest.updateTimestamp) + 1).toISOString();
    const request = { uidp: { childrenOf }, tag, since: oldest.updateTimestamp, until };
    const moves = await platform.rows(rpc, request, maxMoves);
    const byTime = new Map(moves.map((move) => [String(move.updateTime), overrideOf(move)]));
    return records.map((record) => ({ ...record, ...byTime.get(record.updateTimestamp) }));
  } catch (thrown) {
    if (toFailure(thrown, platform.url).exitCode === exitCodes.refused) return records;
    throw thrown;
  }
}

/** Returns the members of a move or a record about its override. */
export function overrideOf({ overriddenRule, overrideReason }: JsonObject): Override {
  if (!overriddenRule) return {};
  return { overriddenRule: String(overriddenRule), overrideReason: String(overrideReason ?? "") };
}

/** Returns a text such as `releases: urgent fix`. Empty without an override. */
export const overrideText = ({ overriddenRule, overrideReason }: Override): string =>
  overriddenRule ? `${overriddenRule}: ${overrideReason}` : "";
