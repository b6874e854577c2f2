/** The fields of an advisory that a client of version 1 can set, as columns. */

import { equals } from "@bufbuild/protobuf";
import {
  type Advisory,
  AdvisorySchema,
} from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { randomText } from "../../aip/random_text.ts";
import { toAdvisory } from "./advisories.ts";
import { toAdvisoryV1 } from "./message.v1.ts";
import { isSameEvent } from "./review.v1.ts";
import type { FoundAdvisory } from "./rows.v1.ts";

/** Letters and digits that are not confused with each other. */
const idAlphabet = "23456789cfghjmpqrvwx";

/** Creates a public id, such as `EXAMPLE-7x2c-9qvw-3hfm`. */
export function newAdvisoryId(vendor: string): string {
  const groups = Array.from({ length: 3 }, () => randomText(idAlphabet, 4));
  return [vendor.toUpperCase(), ...groups].join("-");
}

/** The columns that an update replaces. It can leave out the author. */
export const toAdvisoryColumns = (advisory: Advisory) => ({
  artifactType: advisory.artifactType,
  artifactName: advisory.artifactName,
  artifactArchitecture: advisory.artifactArchitecture,
  componentName: advisory.componentName ?? "",
  componentLocation: advisory.componentLocation ?? "",
  componentType: advisory.componentType ?? "",
  aliases: advisory.aliases,
  legacyAdvisoryId: advisory.legacyAdvisoryID || null,
});

/** Throws INVALID_ARGUMENT for `deleted_at`, which no request can set. */
export function checkNotDeleted({ deletedAt }: Advisory, path: string): void {
  if (deletedAt === undefined) return;
  const field = `${path}deleted_at`;
  throw invalidArgument(field, `${field} must be empty; only Delete sets it`);
}

/** Throws INVALID_ARGUMENT for fields that an update cannot change. */
export function checkUpdate(sentAdvisory: Advisory, before: Advisory): void {
  checkNotDeleted(sentAdvisory, "");
  const { advisoryId, events } = sentAdvisory;
  if (advisoryId !== "" && advisoryId !== before.advisoryId) {
    throw invalidArgument(
      "advisory_id",
      `advisory_id cannot change; it is ${quoted(before.advisoryId)}`,
    );
  }
  const isSame =
    events.length === before.events.length &&
    events.every((event) => before.events.some((other) => isSameEvent(event, other)));
  if (events.length > 0 && !isSame) {
    const text =
      "events must be empty or those of the advisory; change them with UpdateAdvisoryEvent";
    throw invalidArgument("events", text);
  }
}

/** The advisory after an update. Undefined if nothing changes. */
export function advisoryChange(sentAdvisory: Advisory, { row, origin }: FoundAdvisory) {
  const values = { ...toAdvisoryColumns(sentAdvisory), author: sentAdvisory.author || row.author };
  const next = toAdvisoryV1(toAdvisory({ ...row, ...values }));
  if (equals(AdvisorySchema, next, toAdvisoryV1(toAdvisory(row)))) return undefined;
  // An artifact that is its own origin remains that under another name.
  const isItself = origin === row.artifactName;
  return { ...values, origin: isItself ? values.artifactName : origin };
}
