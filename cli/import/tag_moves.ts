/** Sends the history of tags from lines of JSON to TagMovesService. */
import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { TagMoveSchema } from "../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { type Violation, violationsOf } from "../../schema/validation/validate.ts";
import type { Client } from "../account/client.ts";
import { importInBatches, type LinesOutcome, type ParsedLine } from "./batches.ts";
import { readLineObject } from "./json_line.ts";
import { type InputLine, type InputSource, readLines } from "./lines.ts";

/** The result of an import of tag moves. */
export type TagMovesImport = LinesOutcome & {
  createdRepos: number;
  createdTags: number;
  recordedMoves: number;
  unchangedMoves: number;
};

/** A move as it is in a request. */
export type TagMove = { updateTime: string; repo: string; tag: string; digest: string };

/** The API accepts 10,000 moves and 1.5 MiB in one call. */
const limits = { items: 10_000, bytes: 1536 * 1024 - 4096 };

/** One call may create 2,000 repositories, so the first move of each counts as so many bytes. */
const bytesOfNewRepo = Math.ceil(limits.bytes / 2_000);

/** The bytes of a move in a request without its texts, including the comma after it. */
const frameBytes = '{"updateTime":"","repo":"","tag":"","digest":""},'.length;

/**
 * Sends the moves of a file to a group, in the order of its lines. You can repeat it: moves that are already recorded
 * count as unchanged. Throws the same Failures as importInBatches.
 */
export async function importTagMoves(request: {
  source: InputSource;
  group: string;
  client: Client;
  url: string;
  skipBadLines?: boolean;
  onBatch?: (sum: Omit<TagMovesImport, keyof LinesOutcome>) => void;
}): Promise<TagMovesImport> {
  const repos = new Set<string>();
  const sum = { createdRepos: 0, createdTags: 0, recordedMoves: 0, unchangedMoves: 0 };
  const outcome = await importInBatches<TagMove>({
    lines: readLines(request.source),
    parse: (line) => withNewRepo(parseTagMove(line), repos),
    list: "moves",
    limits,
    skipBadLines: request.skipBadLines ?? false,
    url: request.url,
    onBatch: () => request.onBatch?.(sum),
    async send(moves) {
      const answer = await request.client.tagMoves.importTagMoves(
        { parent: request.group, moves },
        { idempotent: true },
      );
      sum.createdRepos += answer.createdRepos;
      sum.createdTags += answer.createdTags;
      sum.recordedMoves += answer.recordedMoves;
      sum.unchangedMoves += answer.unchangedMoves;
      return [];
    },
  });
  return { ...outcome, ...sum };
}

function withNewRepo(line: ParsedLine<TagMove>, repos: Set<string>): ParsedLine<TagMove> {
  if (!("item" in line) || repos.has(line.item.repo)) return line;
  repos.add(line.item.repo);
  return { ...line, bytes: Math.max(line.bytes, bytesOfNewRepo) };
}

/**
 * Reads `{"updateTimestamp": …, "repo": …, "tag": …, "digest": …}` and ignores other members. The rules are those of
 * the API, from its descriptors.
 */
export function parseTagMove(line: InputLine): ParsedLine<TagMove> {
  const read = readLineObject(line);
  if ("message" in read) return { field: "", message: read.message };
  const { updateTimestamp, repo, tag, digest } = read.object;
  for (const [field, value] of Object.entries({ updateTimestamp, repo, tag, digest })) {
    if (value === undefined) return { field, message: `${field} is missing` };
    if (typeof value !== "string") return { field, message: `${field} must be a string` };
  }
  const item = { updateTime: updateTimestamp, repo, tag, digest } as TagMove;
  const move = create(TagMoveSchema, { repo: item.repo, tag: item.tag, digest: item.digest });
  try {
    move.updateTime = fromJson(TimestampSchema, item.updateTime);
  } catch {
    return {
      field: "updateTimestamp",
      message: "updateTimestamp must be an RFC 3339 time, such as 2026-01-31T00:00:00Z",
    };
  }
  const [violation] = violationsOf(TagMoveSchema, move);
  if (violation) return wrong(violation, read.object);
  // The texts are ASCII and need no escaping, because otherwise they would not be valid.
  const texts = item.updateTime.length + item.repo.length + item.tag.length + item.digest.length;
  return { item, bytes: texts + frameBytes };
}

function wrong({ path, text }: Violation, object: Record<string, JsonValue>) {
  return { field: path, message: `${JSON.stringify(object[path])} ${text}` };
}
