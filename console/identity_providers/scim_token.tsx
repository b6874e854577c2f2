/** The dialog that issues or replaces the SCIM token, and shows it once. */
import { useState } from "preact/hooks";
import type { IdentityProvider } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { SelectField, violationOf } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { SecretOnce } from "../elements/secret.tsx";
import { exactTime } from "../elements/time.tsx";

/** The lifetimes in months, and `never`. */
const lifetimes = [
  ["3", "3 months"],
  ["12", "1 year"],
  ["24", "2 years"],
  ["never", "Until you revoke it"],
] as const;

const overlaps = [
  ["0s", "Not at all"],
  ["3600s", "1 hour"],
  ["28800s", "8 hours"],
  ["86400s", "24 hours"],
] as const;

type Lifetime = (typeof lifetimes)[number][0];
type Overlap = (typeof overlaps)[number][0];

/** The lifetime as the API takes it. A minute less than two years, because clocks differ. */
function lifetimeOf(lifetime: Lifetime): { expireTime: string } | { neverExpires: true } {
  if (lifetime === "never") return { neverExpires: true };
  const time = new Date(Date.now() - 60_000);
  time.setUTCMonth(time.getUTCMonth() + Number(lifetime));
  return { expireTime: time.toISOString() };
}

interface Issued {
  token?: string;
  endpointUrl?: string;
  expireTime?: string;
  previousTokenExpireTime?: string;
}

export function ScimTokenDialog({
  provider: { uid, scim },
  onClose,
}: {
  provider: IdentityProvider;
  onClose: () => void;
}) {
  const client = useClient();
  const isFirst = scim?.credentialState === "CREDENTIAL_STATE_NOT_ISSUED";
  const [lifetime, setLifetime] = useState<Lifetime>("12");
  const [overlap, setOverlap] = useState<Overlap>("3600s");
  const [issued, setIssued] = useState<Issued>();
  const issue = useChange<Lifetime>({
    key: ["identityProviders", uid],
    call: async (chosen) => {
      const request = { identityProviderUid: uid, ...lifetimeOf(chosen) };
      const etag = scim?.etag ?? "";
      setIssued(
        isFirst
          ? await client.identityProviders.generateScimToken(request)
          : await client.identityProviders.regenerateScimToken({ ...request, overlap, etag }),
      );
    },
  });
  if (issued) return <IssuedToken issued={issued} onClose={onClose} />;
  return (
    <FormDialog
      title={isFirst ? "Issue a SCIM token" : "Replace the SCIM token"}
      action={isFirst ? "Issue" : "Replace"}
      change={issue}
      fields={["expire_time", "overlap"]}
      onSubmit={() => issue.mutate(lifetime)}
      onClose={onClose}
    >
      <SelectField
        label="The token works for"
        value={lifetime}
        options={lifetimes}
        onChange={setLifetime}
        error={violationOf(issue.error, "expire_time")}
      />
      {!isFirst && (
        <SelectField
          label="The old token works on for"
          hint="Time to enter the new token at the provider. A token that has expired or was revoked does not work again."
          value={overlap}
          options={overlaps}
          onChange={setOverlap}
          error={violationOf(issue.error, "overlap")}
        />
      )}
    </FormDialog>
  );
}

function IssuedToken({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  const { token = "", endpointUrl = "", expireTime, previousTokenExpireTime } = issued;
  return (
    <Dialog title="The SCIM token" onClose={onClose}>
      <SecretOnce
        warning="Copy the token now. The platform does not show it again."
        texts={[
          { label: "Token", text: token, what: "token" },
          { label: "URL", text: endpointUrl, what: "SCIM URL" },
        ]}
        onDone={onClose}
      >
        <p class="hint">
          Enter both at the provider.{" "}
          {expireTime
            ? `The token works until ${exactTime(expireTime)}.`
            : "The token works until you revoke it."}
          {previousTokenExpireTime &&
            ` The old one works until ${exactTime(previousTokenExpireTime)}.`}
        </p>
      </SecretOnce>
    </Dialog>
  );
}
