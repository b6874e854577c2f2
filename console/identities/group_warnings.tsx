/** All identities of a group that accept more than they seem to. This needs no token. */
import { useInfiniteQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type {
  DiagnoseTokenResponse,
  IdentityDiagnosis,
  IdentityWarning,
} from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Empty, Loading } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { gravityOf, WarningList, warningKinds } from "./warnings.tsx";

const pageSize = 50;
/** Pages that are read without a click. */
const firstPages = 4;

export function GroupWarnings({ group }: { group: string }) {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ["warnings", "group", group],
    queryFn: ({ pageParam }): Promise<DiagnoseTokenResponse> =>
      client.tokenDiagnosis.diagnoseToken({
        uid: group,
        pageSize,
        ...(pageParam === "" ? {} : { pageToken: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const read = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && !error && read < firstPages) void fetchNextPage();
  }, [hasNextPage, isFetching, error, read]);
  if (error && !data) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={6} what="Checking the identities" />;
  const all = data.pages.flatMap(({ identities = [] }) => identities);
  const conspicuous = all.filter(({ warnings = [] }) => warnings.length > 0);
  const isDone = !hasNextPage;
  return (
    <>
      <div class="toolbar">
        <span role="status">
          {formatCount(all.length)} {all.length === 1 ? "identity" : "identities"} checked,{" "}
          {formatCount(conspicuous.length)} with warnings.{" "}
          {isFetching ? "Checking more…" : isDone ? "" : "There are more identities."}
        </span>
        {conspicuous.length > 0 && <KindFilter identities={conspicuous} />}
      </div>
      <Conspicuous identities={conspicuous} />
      {conspicuous.length === 0 && isDone && (
        <Empty title="No identity accepts more than it seems to">
          <p>The platform has judged the pattern of every identity of this group.</p>
        </Empty>
      )}
      {error && <ErrorNotice error={error} retry={() => void fetchNextPage()} />}
      {hasNextPage && !error && read >= firstPages && (
        <Button busy={isFetching} onClick={() => void fetchNextPage()}>
          Check more identities
        </Button>
      )}
    </>
  );
}

const kindOf = ({ kind }: IdentityWarning) => (kind ?? "").replace("IDENTITY_WARNING_KIND_", "");

/** Shows one kind of warnings. The choice is in the address. */
function KindFilter({ identities }: { identities: readonly IdentityDiagnosis[] }) {
  const { get, set } = useParameters();
  const count = (kind: string) =>
    identities.filter(({ warnings = [] }) => warnings.some((warning) => kindOf(warning) === kind))
      .length;
  const options = warningKinds
    .map(([kind, text]) => [kind, `${text} (${formatCount(count(kind))})`] as const)
    .filter(([kind]) => count(kind) > 0 || kind === get("warning"));
  return (
    <SelectField
      label="Warning"
      value={get("warning")}
      options={[["", "Any"], ...options]}
      onChange={(warning) => set({ warning })}
    />
  );
}

/** The identities, those with the gravest warning first. */
function Conspicuous({ identities }: { identities: readonly IdentityDiagnosis[] }) {
  const { get } = useParameters();
  const wanted = get("warning");
  const shown = identities
    .map((identity) => ({
      ...identity,
      warnings: (identity.warnings ?? []).filter(
        (warning) => wanted === "" || kindOf(warning) === wanted,
      ),
    }))
    .filter(({ warnings }) => warnings.length > 0)
    .sort((a, b) => gravest(a.warnings) - gravest(b.warnings));
  return (
    <>
      {shown.map(({ uid = "", name, warnings }) => (
        <section key={uid} class="section-card">
          <header class="section-head">
            <h2>
              <Link href={addresses.identity(uid)}>
                <bdi>{name}</bdi>
              </Link>
            </h2>
            <Link href={addresses.identity(uid, "edit")}>
              Edit<span class="out-of-sight"> {name}</span>
            </Link>
          </header>
          <WarningList warnings={warnings} />
        </section>
      ))}
    </>
  );
}

const gravest = (warnings: readonly IdentityWarning[]) => Math.min(...warnings.map(gravityOf));
