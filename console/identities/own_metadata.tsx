/** The data that a person has entered about themselves. Only they can see and change it. */
import { useQuery } from "@tanstack/preact-query";
import { useLayoutEffect, useState } from "preact/hooks";
import type { IdentityMetadata } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { CheckField, TextField, violationOf } from "../elements/fields.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";

/** The members that the form has. Others say how the person found the platform, and no one edits those. */
interface Entered {
  company: string;
  jobTitle: string;
  product: string;
  updatesOptIn: boolean;
}

const toEntered = (metadata: IdentityMetadata): Entered => ({
  company: metadata.company ?? "",
  jobTitle: metadata.jobTitle ?? "",
  product: metadata.product ?? "",
  updatesOptIn: metadata.updatesOptIn ?? false,
});

const key = ["own-metadata"];

/** The metadata has no method that reads it. A change of nothing returns it, and writes nothing. */
export function OwnMetadata() {
  const client = useClient();
  const metadata = useQuery({
    queryKey: key,
    queryFn: () => client.identities.updateIdentityMetadata({ identityMetadata: {} }),
  });
  return (
    <Section title="About you">
      <Answer query={metadata}>
        {(loaded) => (
          <>
            <Origin metadata={loaded} />
            <MetadataForm metadata={loaded} />
          </>
        )}
      </Answer>
    </Section>
  );
}

/** Data from the identity provider, and from the link that the person followed. */
const Origin = ({ metadata }: { metadata: IdentityMetadata }) => (
  <Facts
    facts={[
      ["Name", metadata.name],
      ["Given name", metadata.givenName],
      ["Family name", metadata.familyName],
      ["Clouds and other providers", metadata.providers?.join(", ")],
      ["Campaign", metadata.utmCampaign],
      ["Channel of the campaign", metadata.utmMedium],
      ["Source of the campaign", metadata.utmSource],
      ["Part of the campaign", metadata.utmContent],
      ["Search words", metadata.utmTerm],
      ["Last form", metadata.latestFormSubmitUrl],
      ["Page before the form", metadata.latestInternalReferringUrl],
    ]}
  />
);

function MetadataForm({ metadata }: { metadata: IdentityMetadata }) {
  const client = useClient();
  const [entered, setEntered] = useState(() => toEntered(metadata));
  useLayoutEffect(() => setEntered(toEntered(metadata)), [metadata]);
  const change = useChange<Entered, IdentityMetadata>({
    key,
    call: (identityMetadata) =>
      client.identities.updateIdentityMetadata({
        identityMetadata,
        updateMask: "company,jobTitle,product,updatesOptIn",
      }),
    expect: (shown, input) => ({ ...shown, ...input }),
    done: () => "Saved what you entered about yourself.",
    reverse: (before) => before && toEntered(before),
  });
  const text = (member: "company" | "jobTitle" | "product", label: string, field: string) => (
    <TextField
      label={label}
      value={entered[member]}
      maxLength={255}
      error={violationOf(change.error, field)}
      onInput={(value) => setEntered({ ...entered, [member]: value })}
    />
  );
  return (
    <form
      class="form identities-form"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(entered);
      }}
    >
      {text("company", "Company", "company")}
      {text("jobTitle", "Job title", "job_title")}
      {text("product", "Product that you are interested in", "product")}
      <CheckField
        label="Send me news"
        checked={entered.updatesOptIn}
        onChange={(updatesOptIn) => setEntered({ ...entered, updatesOptIn })}
      />
      {change.error && <ErrorNotice error={change.error} />}
      <Button type="submit" kind="primary" busy={change.isPending}>
        Save
      </Button>
    </form>
  );
}
