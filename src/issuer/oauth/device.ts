/** The device authorization endpoint (RFC 8628 section 3.1): a program without a browser asks for a code. */
import { addressHeader } from "../../limits/network.ts";
import { type LoginContext, readForm } from "../login/context.ts";
import { maxClientIdLength, plainName, readClient } from "./clients.ts";
import { deviceCodeLifetime, firstInterval, newDeviceCode, shownCode } from "./device_codes.ts";
import { OAuthError } from "./errors.ts";
import { checkResources, oneParameter, readScopes } from "./parameters.ts";

const maxOrganizationLength = 255;

/**
 * `POST /oauth/device_authorization`. The response has no `verification_uri_complete`, because a link with the code in
 * it makes phishing easy. `idp_id` can name the organization, which the page then suggests.
 */
export async function authorizeDevice(context: LoginContext): Promise<Response> {
  const { config, request } = context;
  const form = await readForm(request);
  const client = await readClient(config, oneParameter(form, "client_id", maxClientIdLength));
  if (client.isConsole)
    throw new OAuthError("unauthorized_client", "the console logs in with a browser");
  checkResources(form, config);
  const { deviceCode, userCode } = await newDeviceCode(context, client.digest, {
    clientName: client.name,
    scope: readScopes(form),
    idp: plainName(oneParameter(form, "idp_id", maxOrganizationLength)),
    place: placeOf(request),
  });
  const body = {
    device_code: deviceCode,
    user_code: shownCode(userCode),
    verification_uri: `${config.issuerUrl}/oauth/device`,
    expires_in: deviceCodeLifetime / 1000,
    interval: firstInterval,
  };
  return Response.json(body, { headers: { "cache-control": "no-store", pragma: "no-cache" } });
}

/** The facts that Cloudflare adds to a request about its network. */
interface Origin {
  country?: unknown;
  asOrganization?: unknown;
}

/** Where a request came from: the country and the network, if they are known, and the address. */
export function placeOf(request: Request): string {
  const { country, asOrganization } = (request as { cf?: Origin }).cf ?? {};
  const address = request.headers.get(addressHeader) ?? "";
  const known = [countryName(country), asOrganization, address].filter(
    (one): one is string => typeof one === "string" && one !== "",
  );
  return known.length === 0 ? "an unknown place" : known.map(plainName).join(", ");
}

/** The English name of a country. Cloudflare calls the Tor network `T1`, and an unknown country `XX`. */
function countryName(code: unknown): string | undefined {
  if (code === "T1") return "the Tor network";
  if (typeof code !== "string" || !/^[A-Z]{2}$/.test(code) || code === "XX") return undefined;
  return new Intl.DisplayNames("en", { type: "region" }).of(code);
}
