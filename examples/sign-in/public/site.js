// The browser side: reports on every page to the widget who is signed in, or that the visitor is a guest.
window.Roster = window.Roster || [];
window.Roster.push((roster) => {
  const { contacts } = roster.auth;
  const { dataset } = document.documentElement;
  const token = dataset.rosterToken;
  // Removed at once, so that tools which record the page do not capture the token.
  delete dataset.rosterToken;

  contacts.refreshWith(async () => {
    const reply = await fetch('/roster-token', { method: 'POST' });
    return (await reply.json()).token;
  });

  if (token) contacts.login({ token });
  else contacts.logout();
});

for (const name of ['ready', 'login', 'logout', 'expired', 'error']) {
  document.addEventListener(`roster:${name}`, ({ detail }) => {
    const line = document.createElement('li');
    line.textContent = `roster:${name} ${detail === null ? '' : JSON.stringify(detail)}`;
    document.getElementById('events').append(line);
  });
}
