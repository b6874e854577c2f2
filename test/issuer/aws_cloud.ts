/**
 * AWS's security token service, on the port where the platform expects it. It checks signatures with the
 * secrets it knows, and web identity tokens with the keys that our issuer publishes.
 */
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { inject } from "vitest";
import { baseUrl, issuer } from "../world/platform.ts";

/** An access key and its owner. */
export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  caller: { Account: string; Arn: string; UserId: string };
}

/** A request that the service received. */
export interface ReceivedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  form: URLSearchParams;
  body: string;
}

type Page = (seen: ReceivedRequest, response: ServerResponse) => void;

const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Computes the SigV4 signature of a request as the service does. The host is the service's public name. */
function signatureOf(seen: ReceivedRequest, key: AwsKey): { given: string; right: string } {
  const { authorization = "", "x-amz-date": date = "" } = seen.headers;
  const [, scope = "", names = "", given = ""] =
    /Credential=[^/]+\/(\S+), ?SignedHeaders=(\S+), ?Signature=(\S+)$/.exec(authorization) ?? [];
  const header = (name: string) => (name === "host" ? "sts.amazonaws.com" : seen.headers[name]);
  const query = [...seen.url.searchParams].map((pair) => pair.map(encodeURIComponent).join("="));
  const canonical = [
    seen.method,
    seen.url.pathname,
    query.sort().join("&"),
    ...names.split(";").map((name) => `${name}:${header(name)?.trim().replace(/ +/g, " ")}`),
    "",
    names,
    sha256(seen.body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const secret = scope
    .split("/")
    .reduce((last, part) => hmac(last, part), `AWS4${key.secretAccessKey}` as string | Buffer);
  return { given, right: hmac(secret, text).toString("hex") };
}

const answer = (response: ServerResponse, status: number, body: unknown) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(typeof body === "string" ? body : JSON.stringify(body));

export const awsError = (response: ServerResponse, status: number, Code: string, Message: string) =>
  answer(response, status, { Error: { Code, Message, Type: "Sender" }, RequestId: "r" });

async function readSeen(request: IncomingMessage): Promise<ReceivedRequest> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return {
    method: request.method ?? "",
    url: new URL(request.url ?? "", "http://sts.amazonaws.com"),
    headers: request.headers as Record<string, string>,
    form: new URLSearchParams(body),
    body,
  };
}

/**
 * Starts the cloud. `keys` contains its access keys. `trusts` contains the groups for which the roles of an
 * account trust our issuer. Both can grow while it runs. `page` can replace its response.
 */
export async function startAws() {
  const cloud = {
    keys: [] as AwsKey[],
    trusts: new Map<string, string>(),
    page: undefined as Page | undefined,
    seen: [] as ReceivedRequest[],
    close() {
      server.close();
      server.closeAllConnections();
    },
  };

  function answerCallerIdentity(seen: ReceivedRequest, response: ServerResponse) {
    const key = cloud.keys.find(({ accessKeyId }) =>
      seen.headers.authorization?.includes(`Credential=${accessKeyId}/`),
    );
    if (!key || seen.headers["x-amz-security-token"] !== key.sessionToken) {
      return awsError(response, 403, "InvalidClientTokenId", "The security token is invalid.");
    }
    const { given, right } = signatureOf(seen, key);
    if (given !== right) return awsError(response, 403, "SignatureDoesNotMatch", "It differs.");
    const GetCallerIdentityResult = key.caller;
    answer(response, 200, { GetCallerIdentityResponse: { GetCallerIdentityResult } });
  }

  async function assumeRole({ form }: ReceivedRequest, response: ServerResponse) {
    const [, account = "", role = ""] =
      /^arn:aws:iam::(\d{12}):role\/(\S+)$/.exec(form.get("RoleArn") ?? "") ?? [];
    const subject = cloud.trusts.get(`${account}/${role}`);
    try {
      const keys = createRemoteJWKSet(new URL(`${baseUrl()}/.well-known/jwks.json`));
      await jwtVerify(form.get("WebIdentityToken") ?? "", keys, {
        issuer,
        audience: "amazon",
        subject: subject ?? "nobody",
      });
    } catch {
      const xml = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error>
        <Type>Sender</Type><Code>AccessDenied</Code>
        <Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message>
        </Error><RequestId>r</RequestId></ErrorResponse>`;
      return response.writeHead(403, { "content-type": "text/xml" }).end(xml);
    }
    const Arn = `arn:aws:sts::${account}:assumed-role/${role}/${form.get("RoleSessionName")}`;
    const Credentials = { AccessKeyId: "ASIA", SecretAccessKey: "secret", SessionToken: "t" };
    const AssumeRoleWithWebIdentityResult = { AssumedRoleUser: { Arn }, Credentials };
    answer(response, 200, {
      AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult },
    });
  }

  const server = createServer(async (request, response) => {
    const seen = await readSeen(request);
    cloud.seen.push(seen);
    if (cloud.page) return cloud.page(seen, response);
    const action = seen.url.searchParams.get("Action") ?? seen.form.get("Action");
    if (action === "GetCallerIdentity") return answerCallerIdentity(seen, response);
    if (action === "AssumeRoleWithWebIdentity") return assumeRole(seen, response);
    awsError(response, 400, "InvalidAction", "There is no such action.");
  }).listen(inject("clouds").aws, "127.0.0.1");
  await once(server, "listening");
  return cloud;
}
