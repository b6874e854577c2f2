/**
 * The form in which the data of an event is stored. Large data is compressed: the event of 100 tag moves has 23 KB of
 * JSON, and 3 KB of gzip. The gzip is in base64, because D1 sends and returns a blob as a list of numbers. SQL cannot
 * read what is compressed, so the actor and the names of tags are stored next to it.
 */
import {
  type EventData,
  maxDataBytes,
  type PackedData,
  packedStart,
} from "../../schema/tables/events/event_data.ts";
import { fromBase64, toBase64 } from "../aip/base64.ts";
import { gunzipLimited } from "../aip/bounded_body.ts";
import { gzip } from "../aip/gzip.ts";

/** Data with more characters of JSON is packed. The gzip of shorter data, in base64, saves little. */
const maxPlainLength = 2_048;

/** Packed data that cannot be read, because its stored text was changed. */
export class DamagedData extends Error {
  override name = "DamagedData";
}

/** Returns the text to store for the JSON of an event's data. Short data stays as it is. */
export async function packText(json: string): Promise<string> {
  if (json.length <= maxPlainLength) return json;
  const bytes = new TextEncoder().encode(json);
  if (bytes.length > maxDataBytes) return json;
  // A cast, because the text is the JSON of an event's data.
  const data = JSON.parse(json) as EventData;
  const packed: PackedData = {
    packed: toBase64(await gzip(bytes)),
    actor: data.actor,
    ...tagsOf(data),
  };
  const text = JSON.stringify(packed);
  return text.length < json.length ? text : json;
}

/** The names for which a subscription with a pattern receives the event (src/events/subscriptions/filters.ts). */
function tagsOf({ body }: EventData): Pick<PackedData, "tags"> {
  const { moves, tags } = (body ?? {}) as { moves?: unknown; tags?: unknown };
  if (Array.isArray(tags)) return { tags };
  if (!Array.isArray(moves)) return {};
  return { tags: [...new Set((moves as { name: string }[]).map(({ name }) => name))] };
}

/** Returns the JSON of an event's data from its stored text. Throws DamagedData. */
export async function unpackText(stored: string): Promise<string> {
  if (!stored.startsWith(packedStart)) return stored;
  try {
    const { packed } = JSON.parse(stored) as PackedData;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await unpackBytes(packed),
    );
  } catch (cause) {
    throw new DamagedData("the data of an event is damaged", { cause });
  }
}

const unpackBytes = (packed: string) =>
  gunzipLimited(
    new Uint8Array(fromBase64(packed)),
    maxDataBytes,
    () => new Error(`it has more than ${maxDataBytes} bytes`),
    () => new Error("it is not valid gzip"),
  );

/** Like {@link unpackText}, from the parsed text to the parsed data. */
export const unpackData = async (stored: EventData | PackedData): Promise<EventData> =>
  "packed" in stored ? (JSON.parse(await unpackText(JSON.stringify(stored))) as EventData) : stored;
