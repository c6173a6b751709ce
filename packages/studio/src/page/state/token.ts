/**
 * The token of the page's address. It is taken out of the address bar, so that no screenshot, bookmark or history shows it, and
 * kept for this tab alone, so that the page can be loaded again.
 */
export function takeToken(): string | undefined {
  const given = location.hash.slice(1);
  if (given !== "") {
    sessionStorage.setItem(storedAs, given);
    history.replaceState(null, "", location.pathname);
    return given;
  }
  return sessionStorage.getItem(storedAs) ?? undefined;
}

const storedAs = "partita-studio-token";
