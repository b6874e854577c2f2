/** An OpenID issuer on this machine that is not part of the platform (Discovery 1.0, section 4). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Issues tokens for the platform's audience until it is closed. */
export interface ForeignIssuer {
  url: string;
  /** Returns a token of a subject that is valid for ten minutes. */
  tokenFor(subject: string): Promise<string>;
  close(): void;
}

/** Opens an issuer on a free port of the loopback interface. */
export async function openForeignIssuer(audience: string): Promise<ForeignIssuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "foreign", alg: "ES256", use: "sig" }];
  const server = createServer((request, response) => {
    const isKeys = request.url === "/keys";
    response.setHeader("content-type", "application/json");
    const document = {
      issuer: url,
      jwks_uri: `${url}/keys`,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      code_challenge_methods_supported: ["S256"],
    };
    response.end(JSON.stringify(isKeys ? { keys } : document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    tokenFor: (subject) =>
      new SignJWT({})
        .setProtectedHeader({ alg: "ES256", kid: "foreign" })
        .setIssuer(url)
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime("10m")
        .sign(privateKey),
    close: () => server.close(),
  };
}
