/**
 * URLs with which a client reads or writes one object of the bucket directly, over R2's S3 API. Only a
 * platform with credentials for that API creates them.
 */
import { AwsV4Signer } from "aws4fetch";
import type { Config } from "../../config.ts";

/** The bucket over the S3 API. */
export type S3Bucket = NonNullable<Config["s3"]>;

interface Operation {
  method: "GET" | "PUT";
  key: string;
  query?: Record<string, string>;
  /** How long the URL can be used, in seconds. */
  lifetime: number;
  /** The number of bytes that the request must have. */
  length?: number;
}

/** The keys that signatures of one day are derived with. */
const signingKeys = new Map<string, ArrayBuffer>();

/** The URL for an operation. `now` is in milliseconds since 1970. */
export async function presign(
  { url: bucket, accessKeyId, secretAccessKey }: S3Bucket,
  { method, key, query = {}, lifetime, length }: Operation,
  now: number,
): Promise<string> {
  const url = new URL(`${bucket}/${key}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  url.searchParams.set("X-Amz-Expires", String(lifetime));
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    accessKeyId,
    secretAccessKey,
    cache: signingKeys,
    service: "s3",
    region: "auto",
    signQuery: true,
    // A signed header must have exactly this value, so R2 takes no more bytes.
    ...(length === undefined
      ? {}
      : { headers: { "content-length": String(length) }, allHeaders: true }),
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  return (await signer.sign()).url.href;
}
