/** The addresses of the platform, as the API host describes them to programs. */

/** The hosts of the platform, and the operator's name. */
export interface Addresses {
  /** The origin of the page. It is the API host under the name that the browser knows. */
  api: string;
  issuer: string;
  registry: string;
  /** The audience of tokens for the API. */
  audience: string;
  /** The audience of tokens for the registry. */
  registryAudience: string;
  vendor: string;
  /** The name of the issuer in its responses. It differs from `issuer` if the page uses another name of the host. */
  issuerName: string;
  /** The address where people can sign in through the issuer, if it is not that of this page. */
  otherConsole?: string;
}

/** The part of the description that the page uses. */
type Description = Record<
  "api" | "issuer" | "registry" | "audience" | "registryAudience" | "vendor" | "console",
  string
>;

/** Reads the addresses. Throws an Error if this host is not a platform. */
export async function readAddresses(): Promise<Addresses> {
  const response = await fetch("/", { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`The platform responded with HTTP ${response.status}.`);
  const described = (await response.json()) as Description;
  const { origin } = new URL(described.api);
  const here = (url: string) => (new URL(url).origin === origin ? location.origin : url);
  return {
    api: location.origin,
    issuer: here(described.issuer),
    registry: here(described.registry),
    audience: described.audience,
    registryAudience: described.registryAudience,
    vendor: described.vendor,
    issuerName: described.issuer,
    ...(origin === location.origin ? {} : { otherConsole: described.console }),
  };
}
