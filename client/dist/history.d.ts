/** What a tag has pointed to (Tag History API). */
import { type Connection } from "./connection.ts";
import type { CallOptions } from "./operation.ts";
/** From a moment on a tag pointed to a digest. */
export interface HistoryRecord {
    /** RFC 3339, UTC, with milliseconds. */
    updateTimestamp: string;
    /** `sha256:` and 64 hexadecimal digits. */
    digest: string;
}
/** Which records, and in which order. */
export interface HistoryOptions extends CallOptions {
    /** The first moment, included: ISO 8601; a date means the beginning of that day in UTC. */
    start?: string | Date | undefined;
    /** The last moment, included; a date means the end of that day in UTC. */
    end?: string | Date | undefined;
    /** Newest first. */
    reverse?: boolean | undefined;
}
/** The host that tells the history. */
export interface Registry {
    base: string;
    vendor: string;
    connection: Connection;
}
/** The records of an image's tag. Throws a TypeError for a name that is none. */
export declare function history(registry: Registry, image: string, options: HistoryOptions): AsyncIterable<HistoryRecord>;
