/** Reads and checks the parameters of a token exchange. */
import { and, inArray } from "drizzle-orm";
import {
  Capability,
  CapabilitySchema,
} from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import type { ExchangeRequest } from "../../schema/gen/platform/oidc/security_token_pb.js";
import { capabilityName } from "../../schema/options.ts";
import { groups } from "../../schema/tables/iam/groups.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { invalidArgument } from "../aip/errors.ts";
import { quoted } from "../aip/quoted.ts";
import { isUid } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import { isVerifiedOrganization } from "../auth/verified_names.ts";

/** The parameters of an exchange. */
export interface ExchangeParameters {
  audiences: string[];
  /** Groups by uid or name. Empty if the token is not to be narrowed. */
  scopes: string[];
  /** Capability numbers. Undefined if the token is not to be narrowed. */
  capabilities: number[] | undefined;
  /** The names of the capabilities. */
  cap: string[];
}

const maxAudiences = 10;
const maxAudienceLength = 255;
const hostPattern = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const urlPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i;

/** Reads the request. Throws INVALID_ARGUMENT for `aud` or `cap`. */
export function readExchangeParameters({
  aud,
  scope,
  scopes,
  cap,
}: Pick<ExchangeRequest, "aud" | "scope" | "scopes" | "cap">): ExchangeParameters {
  return {
    audiences: readAudiences(aud),
    scopes: [...new Set(scope === "" ? scopes : [...scopes, scope])],
    capabilities: cap.length > 0 ? [...new Set(cap.map(readCapability))] : undefined,
    cap: [...new Set(cap)],
  };
}

function readAudiences(sent: string[]): string[] {
  const audiences = [...new Set(sent)];
  if (audiences.length === 0) throw invalidArgument("aud", "Audience must be specified");
  if (audiences.length > maxAudiences) {
    throw invalidArgument(
      "aud",
      `aud must have at most ${maxAudiences} audiences; you sent ${audiences.length}`,
    );
  }
  for (const audience of audiences) {
    const isUrl = urlPattern.test(audience) && URL.canParse(audience);
    if (audience.length > maxAudienceLength || (!isUrl && !hostPattern.test(audience))) {
      const form = `a URL or a host of at most ${maxAudienceLength} characters`;
      throw invalidArgument(
        "aud",
        `each item of aud must be ${form}; you sent ${quoted(audience)}`,
      );
    }
  }
  return audiences;
}

function readCapability(name: string): number {
  const capability = CapabilitySchema.values.find(
    (value) => value.number !== Capability.UNKNOWN && capabilityName(value) === name,
  );
  if (!capability) throw invalidArgument("cap", `cap: ${quoted(name)} is not a capability`);
  return capability.number;
}

/** The statement that finds the verified organizations among the scopes by name. */
export const selectOrganizations = (db: Database, scopes: string[]) =>
  db
    .select({ uid: groups.uid, name: groups.name })
    .from(groups)
    .where(and(inArray(groups.name, valuesSubselect(scopes)), isVerifiedOrganization));

/** The scopes as uids. Throws INVALID_ARGUMENT for `scopes` if a name is unknown. */
export function resolveScopes(
  scopes: string[],
  organizations: { uid: string; name: string }[],
): string[] | undefined {
  if (scopes.length === 0) return undefined;
  const uids = scopes.map((scope) => {
    if (isUid(scope)) return scope;
    const organization = organizations.find(({ name }) => name === scope);
    if (organization) return organization.uid;
    const text = "is neither a uid nor the name of a verified organization";
    throw invalidArgument("scopes", `scopes: ${quoted(scope)} ${text}`);
  });
  return [...new Set(uids)];
}
