"""The stories: what happens when a pull request is opened, a question is asked, a repository comes or goes. One file each."""
