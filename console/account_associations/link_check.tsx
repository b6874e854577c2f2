/** A link that can be checked, and the result of the check in words. */
import { useMutation } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import type { AccountProviderType, CheckAccountAssociationResponse } from "../../client/index.ts";
import { useClient, useSession } from "../data/platform.tsx";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Section } from "../elements/page.tsx";

interface CheckedProps {
  /** The name of the provider. */
  title: string;
  /** The uid of the group. */
  uid: string;
  type: AccountProviderType;
  /** The audience of the token that the platform sends. */
  audience: string;
  children: ComponentChildren;
}

export function CheckedSection({ title, uid, type, audience, children }: CheckedProps) {
  const client = useClient();
  const check = useMutation({
    mutationFn: () =>
      client.accountAssociations.checkAccountAssociation({ uid, providerType: type }),
  });
  return (
    <Section
      title={title}
      actions={
        <Button busy={check.isPending} onClick={() => check.mutate()}>
          {check.data ? "Check again" : "Check the link"}
        </Button>
      }
    >
      {children}
      <div role="status">
        {check.data && <Result title={title} uid={uid} audience={audience} result={check.data} />}
      </div>
      {check.error && <ErrorNotice error={check.error} retry={() => check.mutate()} />}
    </Section>
  );
}

interface ResultProps {
  title: string;
  uid: string;
  audience: string;
  result: CheckAccountAssociationResponse;
}

function Result({ title, uid, audience, result }: ResultProps) {
  if (result.status === "CHECK_STATUS_READY")
    return (
      <div class="account-associations-result">
        <p>
          <Badge tone="good">Works</Badge> {title} accepted a token of the platform for this group.
        </p>
      </div>
    );
  if (result.reason === "not configured")
    return (
      <div class="account-associations-result">
        <p>
          <Badge tone="bad">Not linked</Badge> The group has no link to {title} any longer. Reload
          the page.
        </p>
      </div>
    );
  return (
    <div class="account-associations-result">
      <p>
        <Badge tone="bad">Does not work</Badge> The platform could not exchange a token at {title}.
      </p>
      {result.message && (
        <p>
          Reason: <bdi>{result.message}</bdi>
        </p>
      )}
      <Trust title={title} uid={uid} audience={audience} />
    </div>
  );
}

/** The values that the provider must trust. A wrong trust is the usual cause. */
function Trust({ title, uid, audience }: Omit<ResultProps, "result">) {
  const { addresses } = useSession();
  return (
    <>
      <p>
        Usually the trust at {title} is missing or wrong. Compare it with these values.{" "}
        <a href="/docs/clouds#trust-the-issuer">The guide</a> shows where they belong.
      </p>
      <div>
        <p class="hint">Issuer</p>
        <CopyLine text={`https://${new URL(addresses.issuer).host}`} what="issuer" />
      </div>
      <div>
        <p class="hint">Subject</p>
        <CopyLine text={uid} what="subject" />
      </div>
      <div>
        <p class="hint">Audience</p>
        <CopyLine text={audience} what="audience" />
      </div>
    </>
  );
}
