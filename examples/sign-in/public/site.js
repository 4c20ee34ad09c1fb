// The page's side: tells the widget on every page what the site knows, who is signed in or that nobody is.
window.Roster = window.Roster || [];
window.Roster.push((roster) => {
  const { contacts } = roster.auth;
  const { dataset } = document.documentElement;
  const token = dataset.rosterToken;
  // Whatever records the page later does not find it.
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
    document.getElementById('heard').append(line);
  });
}
