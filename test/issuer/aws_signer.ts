/** Requests that an AWS principal signs to prove its identity. */
import { AwsV4Signer } from "aws4fetch";
import { issuer as platform } from "../world/platform.ts";
import type { AwsKey } from "./aws_cloud.ts";

/** The query of every such request. */
export const url = "https://sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15";

/** Formats milliseconds since 1970 UTC as `X-Amz-Date`. */
export const amzDate = (at: number) => new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, "");

/** The values to sign. By default all are valid, except the identity and the key. */
export interface SigningOptions {
  as: string;
  by: AwsKey;
  method?: string;
  url?: string;
  service?: string;
  body?: string;
  datetime?: string;
  headers?: Record<string, string>;
}

/** The lines of the request, signed as AWS's own SDKs sign it. */
export async function signLines({ as, by, body, ...rest }: SigningOptions): Promise<string[]> {
  const target = new URL(rest.url ?? url);
  const { sessionToken } = by;
  const { method, headers } = await new AwsV4Signer({
    method: "POST",
    url,
    region: "us-east-1",
    service: "sts",
    accessKeyId: by.accessKeyId,
    secretAccessKey: by.secretAccessKey,
    ...(sessionToken ? { sessionToken } : {}),
    ...(body ? { body } : {}),
    ...rest,
    headers: {
      accept: "application/json",
      "Vendor-Audience": platform,
      "Vendor-Identity": as,
      ...rest.headers,
    },
  }).sign();
  return [
    `${method} ${target.pathname}${target.search} HTTP/1.1`,
    `Host: ${target.host}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    "",
    body ?? "",
  ];
}

/** Encodes the lines as the token. */
export const encode = (lines: string[]) => Buffer.from(lines.join("\r\n")).toString("base64url");
