# ruff: noqa: RUF001  # letters of other alphabets are meant
"""Words that people put before a colon and that are no names: ``Note:``, ``Hinweis:``.

In a long file, statistics distinguish them from names (`indexer.formats.shared.speaker_evidence`);
in a short one, this list does. It was made for captions: announcements, questions, numbers and
requests, in the languages of most captions.

    is_opening    whether words before a colon are such, alone or with others: "Kurze Frage"
"""

OPENING_WORDS = frozenset(
    """
    remember note notes notice reminder warning caution attention important careful beware nb
    example examples question questions answer answers quote unquote fact facts tip tips hint
    spoiler disclaimer update updates news breaking exclusive weather headline headlines sports
    conclusion summary recap overview introduction intro outro background context outline agenda
    topic topics point points rule rules step steps chapter section lesson unit slide
    figure table number option case problem problems solution result results reason reasons goal
    goals idea ideas task tasks exercise homework today tomorrow yesterday tonight now then next
    first firstly second secondly third thirdly fourth fifth last lastly finally also again still
    meanwhile otherwise however therefore because although instead similarly likewise plus more
    so and but or well okay ok yes no yeah right wait look listen see think imagine consider recall
    repeat guess suppose say said says ask asks asked read translation literally meaning namely
    what who why how when where which here there this that these those one two three four five six
    seven eight nine ten thing things everything nothing something caveat bonus verdict deadline
    location date time place cost total subject title author source sources credit credits
    music lyrics chorus verse refrain caption subtitles captions transcript transcription
    definition theorem proof lemma ingredients recipe method scene act episode season

    hinweis hinweise anmerkung wichtig achtung vorsicht merke merksatz beispiel beispiele frage
    fragen antwort antworten zitat fakt fakten tipp tipps neu neues neuigkeit eilmeldung meldung
    aktuell wetter schlagzeilen sport fazit zusammenfassung überblick einleitung hintergrund
    kontext thema themen punkt punkte regel regeln schritt schritte teil kapitel abschnitt lektion
    seite folie abbildung tabelle nummer fall problem lösung ergebnis ergebnisse grund gründe ziel
    ziele idee aufgabe aufgaben übung hausaufgabe heute morgen gestern jetzt dann danach erstens
    zweitens drittens viertens erste zweite dritte letzte zuletzt schließlich außerdem auch noch
    nochmal trotzdem dagegen deshalb weil stattdessen übrigens und oder aber also gut ja nein doch
    genau warte schau schaut hör hört denk denkt erinnert erinnere vergiss nämlich das dies hier
    dort was wer warum wie wann wo welche eins zwei drei vier fünf sache sachen alles nichts etwas
    ort datum uhrzeit zeit preis kosten titel autor quelle quellen untertitel musik definition satz
    beweis bemerkung folgendes folgende bedeutung übersetzung sprich kurzum motto merkt stichwort

    remarque attention rappel important exemple question réponse citation conseil astuce info infos
    actualités météo conclusion résumé introduction contexte sujet règle étape partie chapitre
    leçon page diapositive figure tableau numéro option problème solution résultat raison but idée
    devoir exercice aujourd'hui demain hier maintenant ensuite premièrement deuxièmement enfin
    finalement aussi encore cependant donc car parce et ou mais bon oui non voilà écoutez regardez
    attendez souvenez rappelez pensez imaginez notez qui quoi pourquoi comment quand où un deux
    trois chose choses lieu heure prix titre auteur musique traduction définition

    nota aviso atención importante ojo recuerda recuerden recordatorio ejemplo pregunta respuesta
    cita consejo noticias tiempo conclusión resumen introducción contexto tema regla paso parte
    capítulo lección página figura tabla número opción problema solución resultado razón objetivo
    idea tarea ejercicio hoy mañana ayer ahora luego después primero segundo tercero finalmente
    también además porque y o pero bueno sí no mira miren escucha espera qué quién por cómo cuándo
    dónde uno dos tres cosa cosas lugar fecha hora precio título autor fuente música traducción

    ricorda attenzione avviso importante esempio domanda risposta citazione consiglio notizie meteo
    conclusione riassunto introduzione contesto tema regola passo parte capitolo lezione pagina
    figura tabella numero opzione soluzione risultato ragione obiettivo compito oggi domani
    ieri adesso ora poi primo secondo terzo infine anche inoltre perché allora bene sì guarda
    ascolta aspetta chi cosa quando dove come due tre luogo data prezzo titolo autore fonte musica

    nota lembrete lembre atenção aviso exemplo pergunta resposta conselho dica notícias conclusão
    resumo introdução contexto regra passo capítulo lição página opção solução resultado razão
    tarefa exercício hoje amanhã ontem agora depois primeiro segundo terceiro finalmente também
    porque mas bom sim não olha escuta espera quem quando onde um dois três coisa coisas lugar
    preço título fonte

    let op opmerking belangrijk waarschuwing herinnering onthoud voorbeeld vraag antwoord citaat
    nieuws weer conclusie samenvatting inleiding onderwerp regel stap deel hoofdstuk les pagina
    nummer optie probleem oplossing resultaat reden doel idee taak oefening vandaag morgen gisteren
    nu daarna eerst ten tweede ten derde tenslotte ook nog omdat en of maar goed ja nee kijk luister
    wacht wat wie waarom hoe wanneer waar een twee drie ding plaats datum tijd prijs titel bron

    uwaga ważne pamiętaj przykład pytanie odpowiedź cytat wskazówka wiadomości pogoda wniosek
    podsumowanie wstęp temat zasada krok część rozdział lekcja strona numer opcja problem
    rozwiązanie wynik powód cel pomysł zadanie dzisiaj dziś jutro wczoraj teraz potem najpierw
    pierwszy drugi trzeci wreszcie także jednak ponieważ ale więc dobrze tak nie patrz słuchaj
    czekaj co kto dlaczego jak kiedy gdzie jeden dwa trzy pozor příklad otázka odpověď důležité

    внимание важно помните помни пример вопрос ответ цитата совет новости погода вывод итог итоги
    введение тема правило шаг часть глава урок страница номер вариант проблема решение результат
    причина цель идея задача задание сегодня завтра вчера сейчас потом затем первое второе третье
    наконец также ещё еще однако потому но итак хорошо да нет смотри смотрите слушай слушайте
    подожди что кто почему как когда где один два три примечание напоминание увага питання
    відповідь приклад

    dikkat önemli not örnek soru cevap haber haberler sonuç özet konu adım bölüm sayfa bugün yarın
    viktigt obs exempel fråga svar kom steg del kapitel idag vigtigt husk eksempel spørgsmål viktig
    huom tärkeää esimerkki kysymys vastaus figyelem fontos példa kérdés válasz προσοχή σημείωση
    παράδειγμα ερώτηση απάντηση

    注意 例如 比如 问题 問題 答案 提示 备注 備註 总之 首先 其次 最后 第一 第二 第三 结论 結論
    例 例えば 質問 答え 重要 まず 次に 最後に 예 질문 답 주의 참고 ملاحظة مثال سؤال جواب
    هام הערה שאלה
    """.casefold().split()
)
SHORT = 3  # letters of words that names have, too


def is_opening(name: str) -> bool:
    """Whether words before a colon announce something, rather than name somebody.

    >>> [is_opening(words) for words in ("Note", "Kurze Frage", "Schritt 2", "Anna", "Frau Bach")]
    [True, True, True, False, False]
    """
    words = name.casefold().split()
    if len(words) > 1:  # of names, too: "Bishakha Das"
        words = [word for word in words if len(word) > SHORT]
    return not OPENING_WORDS.isdisjoint(words)
