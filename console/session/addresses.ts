/** The addresses of the platform, as the API host describes them to programs. */

/** The hosts of the platform, and the operator's name. */
export interface Addresses {
  /** The origin of the page. It is the API host under the name that the browser knows. */
  api: string;
  issuer: string;
  registry: string;
  vendor: string;
  /** The name of the issuer in tokens: their `iss` claim. Other than `issuer`, it does not depend on the browser. */
  issuerName: string;
  /** The audience of tokens for the API. */
  audience: string;
}

/** Reads the addresses. Throws an Error if this host is not a platform. */
export async function readAddresses(): Promise<Addresses> {
  const response = await fetch("/", { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`The platform responded with HTTP ${response.status}.`);
  const { api, issuer, registry, vendor, audience } = (await response.json()) as Addresses;
  const here = (url: string) =>
    new URL(url).origin === new URL(api).origin ? location.origin : url;
  return {
    ...{ api: location.origin, issuer: here(issuer), registry: here(registry), vendor },
    ...{ issuerName: issuer, audience },
  };
}
