/** How people log in at an identity provider, and what the provider must know about the platform. */
import type { IdentityProvider } from "../../client/index.ts";
import { useSession } from "../data/platform.tsx";
import { CopyButton, CopyLine } from "../elements/copy.tsx";
import { Name } from "../elements/name.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { claimOf } from "./provider_fields.tsx";

export function LoginSection({ provider }: { provider: IdentityProvider }) {
  const { uid, oidc, defaultRole } = provider;
  const { addresses } = useSession();
  const callback = `${addresses.issuer}/oauth/callback`;
  return (
    <Section
      title="Login"
      actions={
        <a
          class="button"
          href={`${addresses.issuer}/oauth?${new URLSearchParams({ idp_id: uid })}`}
          target="_blank"
          rel="noreferrer"
        >
          Test the login
        </a>
      }
    >
      <Facts
        facts={[
          ["Issuer", oidc?.issuer],
          [
            "Client id",
            <span key="client" class="copyable">
              <code>{oidc?.clientId}</code>
              <CopyButton text={oidc?.clientId ?? ""} what="client id" />
            </span>,
          ],
          ["Client secret", <span key="secret">never shown</span>],
          ["PKCE", oidc?.pkceEnabled ? "on" : "off"],
          ["Scopes", ["openid", ...(oidc?.additionalScopes ?? [])].join(" ")],
          ["Groups claim", oidc?.groupsClaim || "none"],
          ["Claim of provisioned users", claimOf(oidc?.correlationRule)],
          ["Default role", <Name key="role" kind="roles" uid={defaultRole} />],
        ]}
      />
      <div class="identity-providers-uris">
        <p>Allow these redirect URIs at the provider:</p>
        <CopyLine text={callback} what="redirect URI" />
        <CopyLine text={`${callback}/${uid}`} what="second redirect URI" />
        <p class="hint">
          The platform uses the second one if the provider does not send its issuer with its
          response (RFC 9207). The test opens the login in a new tab, and signs in whoever you are
          at the provider. They get the default role.
        </p>
      </div>
    </Section>
  );
}
