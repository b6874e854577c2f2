/**
 * Checks a link to a cloud with a real exchange: a token of our issuer, whose subject is the group, for
 * credentials of the cloud. The credentials are discarded. docs/guides/clouds.md describes the setup.
 */
import {
  allowInsecureRequests,
  type ClientAuth,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
} from "oauth4webapi";
import {
  type AccountAssociation,
  AccountProviderType,
} from "../../../schema/gen/platform/iam/v2/account_associations_pb.js";
import type { Call } from "../../auth/call.ts";
import { signToken } from "../../auth/keys.ts";
import { fetchConfigured, responseTimeoutMs } from "../../auth/outgoing/outgoing.ts";
import type { Config } from "../../config.ts";

/** The lifetime of the token in the exchange, in milliseconds. */
const tokenLifetime = 5 * 60_000;

const maxMessageLength = 500;

/** The reason why a link does not work: our text, and the provider's text if it responded. */
export interface LinkFailure {
  reason: "not configured" | "exchange failed";
  message: string;
}

/** The provider refused the exchange or did not respond. */
class ProviderRefusal extends Error {}

/** Checks the group's link to a provider. Undefined if the link works. */
export async function checkLink(
  call: Call,
  group: string,
  provider: AccountProviderType,
  association: AccountAssociation | undefined,
): Promise<LinkFailure | undefined> {
  const attempt = linkCheckOf(call, group, provider, association);
  if (!attempt) return { reason: "not configured", message: "" };
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    return { reason: "exchange failed", message: redactTokens(error.message) };
  }
}

function linkCheckOf(
  call: Call,
  group: string,
  provider: AccountProviderType,
  { amazon, google, azure }: Partial<AccountAssociation> = {},
): (() => Promise<void>) | undefined {
  const { config } = call;
  const times = { issued: call.now, expires: call.now + tokenLifetime };
  const sign = (aud: string) => signToken(config, { sub: group, aud }, times);
  if (provider === AccountProviderType.AMAZON && amazon) {
    return async () => checkAmazon(config, amazon.account, await sign("amazon"));
  }
  if (provider === AccountProviderType.GOOGLE && google) {
    const { projectNumber } = google;
    const name = googleProvider(config, projectNumber);
    return async () => {
      if (!/^\d+$/.test(projectNumber))
        throw new ProviderRefusal(`no project has the number ${projectNumber}: it needs digits`);
      await checkGoogle(config, name, await sign(`https:${name}`));
    };
  }
  if (provider === AccountProviderType.AZURE && azure) {
    return async () => checkAzure(config, azure, await sign("api://AzureADTokenExchange"));
  }
  return undefined;
}

/** AssumeRoleWithWebIdentity for the role `<vendor>-check`, which needs no permission. */
async function checkAmazon(config: Config, account: string, token: string): Promise<void> {
  const role = `${config.vendor}-check`;
  const body = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: `arn:aws:iam::${account}:role/${role}`,
    RoleSessionName: role.slice(0, 64),
    WebIdentityToken: token,
    DurationSeconds: "900",
  });
  const response = await newCloudClient(config, "awsStsUrl")(`${config.awsStsUrl}/`, {
    method: "POST",
    headers: { accept: "application/json" },
    body,
  });
  const text = await response.text();
  if (response.status !== 200)
    throw new ProviderRefusal(amazonError(text) || unexpectedStatusText(response));
  const isAssumed = text.includes(`:sts::${account}:assumed-role/${role}/`);
  if (!isAssumed) throw new ProviderRefusal("the response does not name the assumed role");
}

/** `Code: Message` of an AWS error. AWS returns JSON or, whatever the request asks for, XML. */
function amazonError(text: string): string {
  const member = (name: string) =>
    new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(text)?.[1] ??
    new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ??
    "";
  const plain = (value: string) => {
    if (!value.startsWith('"')) return value;
    try {
      return String(JSON.parse(value));
    } catch {
      return "";
    }
  };
  const parts = [plain(member("Code")), plain(member("Message"))];
  return parts.filter((part) => part !== "").join(": ");
}

/** The workload identity provider in the customer's project. It must trust our issuer. */
const googleProvider = ({ vendor }: Config, projectNumber: string) =>
  `//iam.googleapis.com/projects/${projectNumber}/locations/global/` +
  `workloadIdentityPools/${vendor}-pool/providers/${vendor}`;

/** Token exchange (RFC 8693) at the security token service. */
async function checkGoogle(config: Config, audience: string, token: string): Promise<void> {
  await requestToken(
    newCloudClient(config, "googleStsUrl"),
    `${config.googleStsUrl}/v1/token`,
    "urn:ietf:params:oauth:grant-type:token-exchange",
    {
      audience,
      scope: "https://www.googleapis.com/auth/cloud-platform",
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      subject_token: token,
    },
  );
}

/** Client credentials with a federated assertion (RFC 7523), for each application. All of them must work. */
async function checkAzure(
  config: Config,
  { tenantId, clientIds }: { tenantId: string; clientIds: Record<string, string> },
  token: string,
): Promise<void> {
  const attempts = Object.entries(clientIds).map(async ([component, clientId]) => {
    try {
      await requestToken(
        newCloudClient(config, "azureLoginUrl"),
        `${config.azureLoginUrl}/${tenantId}/oauth2/v2.0/token`,
        "client_credentials",
        {
          client_id: clientId,
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: token,
          scope: "https://management.azure.com/.default",
        },
      );
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
      throw new ProviderRefusal(`${component}: ${error.message}`);
    }
  });
  await Promise.all(attempts);
}

/** Sends one OAuth 2.0 token request. Throws Refused with the server's error if the request fails. */
async function requestToken(
  fetchCloud: ReturnType<typeof newCloudClient>,
  endpoint: string,
  grantType: string,
  parameters: Record<string, string>,
): Promise<void> {
  const server = { issuer: endpoint, token_endpoint: endpoint };
  const client = { client_id: parameters.client_id ?? "none" };
  // If the client is authenticated, its credentials are among the parameters.
  const asTheyAre: ClientAuth = () => {};
  const options = {
    [customFetch]: fetchCloud,
    [allowInsecureRequests]: endpoint.startsWith("http:"),
  };
  const response = await genericTokenEndpointRequest(
    server,
    client,
    asTheyAre,
    grantType,
    parameters,
    options,
  );
  try {
    await processGenericTokenEndpointResponse(server, client, response.clone() as Response);
  } catch (error) {
    if (!(error instanceof ResponseBodyError))
      throw new ProviderRefusal(unexpectedStatusText(response));
    const { error: code, error_description: text } = error;
    throw new ProviderRefusal(text ? `${code}: ${text}` : code);
  }
}

/** Sends requests to the cloud that the operator has configured under that name, and to no other host. */
function newCloudClient(config: Config, setting: Parameters<typeof fetchConfigured>[1]) {
  return async (url: string, options: object): Promise<Response> => {
    try {
      const signal = AbortSignal.timeout(responseTimeoutMs);
      return await fetchConfigured(config, setting, url, { ...(options as RequestInit), signal });
    } catch {
      throw new ProviderRefusal(`${new URL(url).host} did not return a readable response`);
    }
  };
}

const unexpectedStatusText = ({ status }: Response) =>
  `the response was HTTP ${status}, without credentials`;

/** The provider's text in one line, without anything that looks like a token. */
function redactTokens(text: string): string {
  const plain = text
    .replaceAll(/eyJ[\w-]+(?:\.[\w-]*)*/g, "[token]")
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return plain.length > maxMessageLength ? `${plain.slice(0, maxMessageLength - 1)}…` : plain;
}
