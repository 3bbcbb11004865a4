"""French words of a question -> the English words that code is written in.

The embedded model has read English names and comments. "comment fonctionne la connexion" is near `login` only if the question says so;
names in the question stay as they are. Only words of programming that differ from the English ones are here: adding one is adding a row.
"""

from __future__ import annotations

import re
import unicodedata

from index.intent.rules import STOP_WORDS

_ROWS = """
abonnement subscription | acces access | acheter buy purchase | adresse address | affichage display render | afficher show display render
ajout add | ajouter add append | analyse parse analysis | analyser parse analyse | annuler cancel undo | appel call | appelant caller
appeler call | appliquer apply | araignee spider | arbre tree | arrondi round rounded | arrondir round | attendre wait
attente wait queue | attribut attribute | authentification authentication login | automatique automatic
autorisation authorization permission | base database | bogue bug | boucle loop | bouton button | calcul compute calculation
calculer compute calculate | chaine string chain | champ field | chargement load loading | charger load | chemin path
chercher search find | chiffrement encryption | chiffrer encrypt | cle key | client customer | commande command order | comparer compare
composant component | compte account | compter count | compteur counter | configuration settings | connecter connect login
connexion connection login | conserver keep store | construire build construct | contenu content | contrainte constraint
convertir convert | copier copy | couleur color | courriel email mail | creation create | creer create | crochet hook | debut start begin
decodage decode | decouper split | defaut default | delai delay timeout | demande request | demarrage start startup | demarrer start
dependance dependency | deplacer move | dernier last latest | desactiver disable | detruire destroy delete | deverrouiller unlock
donnee data | donnees data | dossier folder directory | doublon duplicate | droit permission right | dupliquer duplicate
echec failure fail | echouer fail | ecran screen | ecrire write | ecriture write | effacer clear delete erase | element item
empreinte hash fingerprint | encodage encode encoding | enregistrement record save | enregistrer save store record | ensemble set
entete header | entree input entry | envoi send | envoyer send | erreur error exception | espace space | essai attempt try test
essayer try | etape step stage | etat state status | etiquette label tag | evenement event | executer run execute | execution run
expiration expiry | expirer expire | exporter export | facture invoice | fenetre window | fermer close | fermeture close
feuille sheet leaf | fichier file | fil thread | file queue | filtrer filter | fin end | fonction function | formulaire form
fusion merge | fusionner merge | gabarit template | gerer handle manage | gestion handling management | graphe graph | greffon plugin
groupe group | heritage inheritance | heriter inherit | heure time hour | horloge clock | identifiant identifier id | impression print
imprimer print | inscription registration signup | inscrire register sign up | installer install | interdire forbid deny
intergiciel middleware | jeton token | joindre join attach | jour day | journal log | journalisation logging | langue language
lecture read reading | lien link | ligne line row | limite limit | lire read | liste list | lister list | livraison delivery
longueur length | memoire memory | mesurer measure | minuteur timer | mise update | modele model template | modifier modify change update
montant amount | mot word | moteur engine | moyenne average mean | noeud node | nom name | nombre number count | numero number
objet object | observateur observer watcher | ordre order | outil tool | ouverture open | ouvrir open | paiement payment
panier cart basket | paquet package packet | parametre parameter setting | parcourir walk traverse iterate | partager share
passe password | payer pay | pile stack | poids weight | prix price | processus process | profil profile | projet project
propriete property | protocole protocol | racine root | rafraichir refresh | recevoir receive | recherche search lookup
rechercher search | recuperer fetch retrieve get | redirection redirect | reessai retry | reessayer retry | reglage setting | regle rule
remboursement refund | remplacer replace | rendre render | rendu render rendered | renommer rename | repertoire directory
reponse response reply answer | requete request query | reseau network | resoudre resolve | resultat result | retirer remove withdraw
retour return | retourner return | sauvegarde save backup | sauvegarder save backup | securite security | serveur server | seuil threshold
signer sign | somme sum total | sortie output exit | souris mouse | stockage storage | stocker store | suivi tracking follow
suivre follow track | suppression deletion removal | supprimer delete remove | surveiller watch monitor | systeme system
tableau array table | tache task job | taille size | tampon buffer | taux rate | taxe tax | telechargement download | telecharger download
temps time | traduction translation | traduire translate | traitement processing | traiter process handle | tri sort | trier sort
trouver find | utilisateur user | valeur value | valider validate | vente sale | verification check | verifier check verify | verrou lock
verrouiller lock | vider clear empty flush | virgule comma | vue view
"""

ENGLISH: dict[str, tuple[str, ...]] = {
    french: tuple(english) for row in _ROWS.replace("\n", "|").split("|") if row.strip() for french, *english in (row.split(),)
}

_WORD = re.compile(r"[^\W\d_]+")
_FRENCH = re.compile(
    r"\b(?:le|la|les|un|une|des|du|est|sont|ou|qui|que|quoi|comment|pourquoi|dans|avec|pour|sur|quel(?:le)?s?|explique[rz]?|fonctionnent?)\b"
)


# Most words of programming are nearly the same in both languages: réactivité, asynchrone, compilés. What is no word harms nothing.
_ENDINGS = (
    (re.compile(r"ites?$"), ("ity",)),
    (re.compile(r"iques?$"), ("ic",)),
    (re.compile(r"eurs?$"), ("er", "or")),
    (re.compile(r"ismes?$"), ("ism",)),
    (re.compile(r"aires?$"), ("ary",)),
    (re.compile(r"chrones?$"), ("chronous",)),
    (re.compile(r"i(?:f|ve)s?$"), ("ive",)),
    (re.compile(r"ogies?$"), ("ogy",)),
    (re.compile(r"(?:er|ees?|es|ent)$"), ("e",)),
)
SHORTEST = 6  # letters of a word that may be nearly English


def with_english(question: str) -> str:
    """A question -> the same, followed by the English of its French words; unchanged where it does not read like French. Of a question
    that is all French, words such as `comment` are left out: in code they are something else."""
    english = english_of(question)
    if not english:
        return question
    plain = without_accents(question)
    french = len(set(_FRENCH.findall(plain.lower()))) > 1
    kept = [word for word in question.split() if without_accents(word).lower().strip(",;:.?!") not in STOP_WORDS] if french else [question]
    return " ".join([*kept, english])


def english_of(question: str) -> str:
    """The English of the French words of a question, "" where it does not read like French."""
    plain = without_accents(question).lower()
    if not _FRENCH.search(plain):
        return ""
    found = [english for word in _WORD.findall(plain) if word not in STOP_WORDS for english in _english(word)]
    return " ".join(dict.fromkeys(found))


def _english(word: str) -> tuple[str, ...]:
    """Of a word, its singular, or the infinitive of a participle (arrondis, arrondie: arrondi)."""
    for form in (word, word.removesuffix("s"), word.removesuffix("x"), word.removesuffix("es"), word.removesuffix("e")):
        if form in ENGLISH:
            return ENGLISH[form]
    ending = r"(?:ee?s?|ent)$" if word[-1:] in "es" else r"(?:e|ent)$"  # creee, appelees: appeler
    return ENGLISH.get(re.sub(ending, "er", word), ()) or _nearly_english(word)


def _nearly_english(word: str) -> tuple[str, ...]:
    if len(word) < SHORTEST:
        return ()
    return next((tuple(word[: found.start()] + end for end in ends) for ending, ends in _ENDINGS if (found := ending.search(word))), ())


def without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
