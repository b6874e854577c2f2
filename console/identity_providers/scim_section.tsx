/** Provisioning by SCIM: whether it is on, and the token of the provider. */
import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { IdentityProvider, IdentityProviderSCIM } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Badge, type Tone } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";
import { EnableScimDialog, RevokeTokenDialog } from "./scim_dialogs.tsx";
import { ScimTokenDialog } from "./scim_token.tsx";

type State = NonNullable<IdentityProviderSCIM["credentialState"]>;

const states: Record<State, [Tone, string]> = {
  CREDENTIAL_STATE_UNSPECIFIED: ["plain", "Unknown"],
  CREDENTIAL_STATE_NOT_ISSUED: ["plain", "None yet"],
  CREDENTIAL_STATE_LIVE: ["good", "Works"],
  CREDENTIAL_STATE_EXPIRED: ["bad", "Expired"],
  CREDENTIAL_STATE_REVOKED: ["bad", "Revoked"],
  CREDENTIAL_STATE_ROTATING: ["good", "Works"],
};

interface SectionProps {
  provider: IdentityProvider;
  /** Why the person may not change it. */
  refusal: string | undefined;
}

export function ScimSection({ provider, refusal }: SectionProps) {
  const { uid, name, scim } = provider;
  const [opened, open] = useState<"enable" | "token" | "revoke">();
  const switching = useSwitch(uid, name);
  const state = scim?.credentialState ?? "CREDENTIAL_STATE_UNSPECIFIED";
  const isIssued = state !== "CREDENTIAL_STATE_NOT_ISSUED";
  const isWorking = state === "CREDENTIAL_STATE_LIVE" || state === "CREDENTIAL_STATE_ROTATING";
  const isOn = scim?.enabled === true;
  const close = () => open(undefined);
  return (
    <Section title="Provisioning (SCIM)">
      <div class="identity-providers-scim">
        <ScimFacts scim={scim} state={state} />
        {isIssued && !isWorking && isOn && (
          <p class="identity-providers-text">
            The provider cannot add or remove users now. Replace the token, and enter the new one
            there.
          </p>
        )}
        <div>
          <p class="identity-providers-text">Enter this URL and the token at the provider:</p>
          <CopyLine text={scim?.endpointUrl ?? ""} what="SCIM URL" />
        </div>
        {switching.error && !opened && <ErrorNotice error={switching.error} />}
        <div class="identity-providers-actions">
          <Button
            refusal={
              refusal ??
              (isIssued || isOn ? undefined : "Issue a token first. The provider needs it.")
            }
            busy={switching.isPending}
            onClick={() => (isOn ? switching.mutate(false) : open("enable"))}
          >
            {isOn ? "Switch SCIM off" : "Switch SCIM on"}
          </Button>
          <Button refusal={refusal} onClick={() => open("token")}>
            {isIssued ? "Replace the token" : "Issue a token"}
          </Button>
          {isWorking && (
            <Button kind="danger" refusal={refusal} onClick={() => open("revoke")}>
              Revoke the token
            </Button>
          )}
        </div>
      </div>
      {opened === "enable" && (
        <EnableScimDialog name={name} enable={() => switching.mutateAsync(true)} onClose={close} />
      )}
      {opened === "token" && <ScimTokenDialog provider={provider} onClose={close} />}
      {opened === "revoke" && <RevokeTokenDialog provider={provider} onClose={close} />}
    </Section>
  );
}

function ScimFacts({ scim, state }: { scim: IdentityProviderSCIM | undefined; state: State }) {
  const [tone, text] = states[state];
  const isOn = scim?.enabled === true;
  const { tokenExpireTime, previousTokenExpireTime } = scim ?? {};
  const hasToken = state !== "CREDENTIAL_STATE_NOT_ISSUED" && state !== "CREDENTIAL_STATE_REVOKED";
  return (
    <Facts
      facts={[
        [
          "State",
          <Badge key="state" tone={isOn ? "good" : "plain"}>
            {isOn ? "On" : "Off"}
          </Badge>,
        ],
        [
          "Who can log in",
          isOn ? "only active provisioned users" : "everyone whom the provider lets in",
        ],
        [
          "Token",
          <Badge key="token" tone={tone}>
            {text}
          </Badge>,
        ],
        ["Token expires", hasToken ? <Time key="end" time={tokenExpireTime} /> : undefined],
        [
          "Token before it expires",
          previousTokenExpireTime && <Time key="previous" time={previousTokenExpireTime} />,
        ],
      ]}
    />
  );
}

/** Switches SCIM on or off. The page shows the new state at once, and a notice offers to undo the change. */
function useSwitch(uid: string, name: string) {
  const client = useClient();
  const queries = useQueryClient();
  const key = ["identityProviders", uid];
  const scimNow = () => queries.getQueryData<IdentityProvider>(key)?.scim;
  return useChange<boolean, IdentityProvider>({
    key,
    call: async (enabled) => {
      const { etag } = await client.identityProviders.setScimEnabled({
        identityProviderUid: uid,
        enabled,
        etag: scimNow()?.etag ?? "",
      });
      queries.setQueryData<IdentityProvider>(key, (shown) => shown && withScim(shown, { etag }));
    },
    expect: (shown, enabled) => withScim(shown, { enabled }),
    done: (enabled) => `SCIM of ${name} is ${enabled ? "on" : "off"}.`,
    reverse: (_, enabled) => !enabled,
  });
}

const withScim = (
  provider: IdentityProvider,
  {
    enabled = provider.scim?.enabled ?? false,
    etag = provider.scim?.etag,
  }: {
    enabled?: boolean;
    etag?: string | undefined;
  },
): IdentityProvider => ({
  ...provider,
  scim: { ...provider.scim, enabled, ...(etag === undefined ? {} : { etag }) },
});
