/**
 * The token of the page's address. It is removed from the address bar, to keep it out of screenshots,
 * bookmarks and the history, and stored for this tab only, to allow reloading the page.
 */
export function takeToken(): string | undefined {
  const given = location.hash.slice(1);
  if (given !== "") {
    sessionStorage.setItem(storedAs, given);
    history.replaceState(null, "", location.pathname + location.search);
    return given;
  }
  return sessionStorage.getItem(storedAs) ?? undefined;
}

const storedAs = "partita-studio-token";
