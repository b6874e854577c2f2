/** Keeps an edit from overwriting the change of someone else, and says what changed and by whom. */
import { Failure, refusedFailure } from "../failure.ts";
import { type CatalogResource, requireMethod } from "../resources/catalog.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { titleOf } from "../resources/output.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { changedFields, type FieldChange } from "./difference.ts";
import { valueText } from "./plan_text.ts";

/** The most events that are read to find the last one. */
const mostEvents = 200;

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";

const isEtagMismatch = ({ details }: Failure) =>
  details.some((detail) => detail["@type"] === errorInfoType && detail.reason === "ETAG_MISMATCH");

/**
 * Writes with the etag of `seen`, the resource as the caller knows it. Throws a CHANGED Failure if someone has changed the
 * resource since then.
 */
export async function writeUnchanged(
  platform: PlatformClient,
  resource: CatalogResource,
  seen: JsonObject,
  write: (ifMatch: string) => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    return await write(String(seen.etag));
  } catch (error) {
    if (!(error instanceof Failure) || !isEtagMismatch(error)) throw error;
    const { rpc } = requireMethod(resource, "get");
    const current = await platform.call(rpc, { uid: String(seen.uid) });
    throw await changedFailure(platform, resource, seen, current);
  }
}

async function changedFailure(
  platform: PlatformClient,
  resource: CatalogResource,
  seen: JsonObject,
  current: JsonObject,
): Promise<Failure> {
  const names = new Set([...Object.keys(seen), ...Object.keys(current)]);
  const wanted = Object.fromEntries([...names].map((name) => [name, current[name]]));
  const changes = [...changedFields(resource.message, seen, wanted).values()]
    .flat()
    .filter(({ path }) => path !== "updateTime" && path !== "etag");
  const by = await lastActor(platform, seen);
  const message = [
    `${titleOf(resource, current)} was changed${by} at ${current.updateTime}, after you read it. Nothing was written.`,
    ...(changes.length > 0 ? ["From your copy to the resource now:"] : []),
    ...changes.map(changeLine),
    "Read it again, and repeat your change if it still applies.",
  ].join("\n");
  return refusedFailure("CHANGED", message);
}

const changeLine = ({ path, before, after }: FieldChange) =>
  `  ${withoutControls(path)}: ${valueText(before)} → ${valueText(after)}`;

/** The author of the last change, as ` by NAME`. Empty if the caller cannot read the events. */
async function lastActor(
  platform: PlatformClient,
  { uid, updateTime }: JsonObject,
): Promise<string> {
  try {
    const request = { subject: uid, since: updateTime };
    const rows = await platform.rows(
      "platform.events.v2.EventsService/ListEvents",
      request,
      mostEvents,
    );
    const { subject } = (rows.at(-1)?.actor ?? {}) as { subject?: string };
    return subject === undefined ? "" : ` by ${withoutControls(await nameOf(platform, subject))}`;
  } catch (error) {
    if (error instanceof Failure) return "";
    throw error;
  }
}

async function nameOf(platform: PlatformClient, uid: string): Promise<string> {
  try {
    const identity = await platform.call("platform.iam.v2.IdentitiesService/GetIdentity", { uid });
    return String(identity.email || identity.name || uid);
  } catch (error) {
    // A person belongs to no group, so others cannot read their identity.
    if (error instanceof Failure) return uid;
    throw error;
  }
}
