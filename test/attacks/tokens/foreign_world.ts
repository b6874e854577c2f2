/** Two organizations, each with its own issuer in an identity and an identity provider. */
import { newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type Key, newKey, startIssuer } from "../../issuer/foreign_issuer.ts";
import { newProvider } from "../../issuer/login/logins.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";

/** An issuer that no one can reach. Identities contain its keys. */
export const unreachableIssuer = "https://unreachable.invalid";

const holder = (organization: Organization, key: Key) => {
  const issuerKeys = JSON.stringify({ keys: [key.jwk] });
  const staticKeys = { issuer: unreachableIssuer, subject: "device", issuerKeys };
  return newIdentityWithMatchers(organization, { staticKeys }, "viewer");
};

export async function newForeignWorld() {
  const [here, there] = [await newOrganization(), await newOrganization()];
  const [honest, evil] = [await startIssuer(), await startIssuer()];
  const match = (issuer: string) => ({ claimMatch: { issuer, subject: "robot" } });
  const deviceKey = await newKey("device");
  await newIdentityWithMatchers(there, match(evil.url), "viewer");
  return {
    here,
    there,
    /** The issuer of the first organization, and the issuer of the second. */
    honest,
    evil,
    robot: await newIdentityWithMatchers(here, match(honest.url), "viewer"),
    deviceKey,
    device: await holder(here, deviceKey),
    /** The same issuer, subject and key id, signed with another key. */
    otherDevice: await holder(here, await newKey("device")),
    provider: await newProvider(here.uid, { issuer: honest.url }),
    otherClient: await newProvider(here.uid, { issuer: honest.url, client_id: "private" }),
    otherProvider: await newProvider(there.uid, { issuer: evil.url }),
    close() {
      honest.close();
      evil.close();
    },
  };
}

export type ForeignWorld = Awaited<ReturnType<typeof newForeignWorld>>;
