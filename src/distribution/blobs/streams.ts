/** Streams that only the Workers runtime has (https://developers.cloudflare.com/workers/runtime-apis/). */
import type {
  DigestStream as DigestStreamType,
  FixedLengthStream as FixedLengthStreamType,
} from "@cloudflare/workers-types";

// The tests run these files with the types of Node, which has no such globals.
declare const FixedLengthStream: new (length: number) => FixedLengthStreamType;
declare const crypto: { DigestStream: new (algorithm: string) => DigestStreamType };

/** A stream whose response has a Content-Length. */
export const newFixedLengthStream = (length: number) => new FixedLengthStream(length);

/** A stream that computes the digest of everything that is written to it. */
export const newDigestStream = (algorithm: string) => new crypto.DigestStream(algorithm);
