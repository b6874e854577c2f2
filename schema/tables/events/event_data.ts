/** The forms of the data of an event. The command line reads them without the tables. */

/** The data of an event. */
export interface EventData {
  actor: unknown;
  body?: unknown;
}

/** Large data, compressed. The other keys are for SQL, which cannot read it (src/outbox/stored_data.ts). */
export interface PackedData {
  /** The JSON of the data in gzip, in base64. It is the first key, so a text shows at once that it is packed. */
  packed: string;
  actor: unknown;
  /** The names of the tags in `body.moves`. */
  tags?: string[];
}

/** The beginning of the JSON of packed data. */
export const packedStart = '{"packed":';

/** The most bytes of JSON that are packed. A row of D1 has at most 2 MB. */
export const maxDataBytes = 2_000_000;
